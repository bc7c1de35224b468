#pragma once

#include <QObject>
#include <functional>
#include <vector>

#include "core/run/devices/devices.h"
#include "core/run/step/runner.h"
#include "ui/jobs/job_thread.h"

namespace stashscope::ui {

/// The devices that a step can run on: the devices of this computer, or the devices that another
/// machine may have. This computer's devices are listed on another thread, because a driver takes a
/// moment to start. For another machine the list is a guess: only the worker on that machine knows
/// which devices exist.
class DeviceList : public QObject {
  Q_OBJECT

 public:
  using Look = std::function<std::vector<DeviceInfo>()>;

  /// @param look returns the devices of this computer; called once, on another thread
  explicit DeviceList(Look look = list_devices);

  /// The devices of the machine that runs steps. Empty for this computer until its devices are
  /// listed.
  const std::vector<DeviceInfo>& all() const { return is_remote_ ? elsewhere_ : here_; }
  /// The devices of this computer, also while steps run on another computer.
  const std::vector<DeviceInfo>& here() const { return here_; }
  /// The device in the list that `name` means, as defined by `device_meant`; null if `name` means
  /// no device in the list.
  const DeviceInfo* meant_by(const std::string& name) const { return device_meant(all(), name); }

  bool is_remote() const { return is_remote_; }
  void set_remote(bool is_remote);

 Q_SIGNALS:
  void changed();
  /// Emitted once, when this computer's devices have been listed.
  void listed_here();

 private:
  void take(const std::vector<DeviceInfo>& found);

  std::vector<DeviceInfo> here_;
  std::vector<DeviceInfo> elsewhere_;
  bool is_remote_ = false;
  // Declared last, so that its thread ends before the members that its job uses are destroyed.
  JobThread thread_{JobThread::AtEnd::drop};
};

}  // namespace stashscope::ui
