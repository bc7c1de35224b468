#pragma once

#include <QObject>
#include <functional>
#include <vector>

#include "core/run/devices/devices.h"
#include "core/run/step/runner.h"
#include "ui/jobs/job_thread.h"

namespace stashscope::ui {

/// What a step can be asked to run on: the devices of this computer, looked for on a thread of its
/// own since a driver takes a moment to start, or those that another machine may have, which only
/// its worker knows.
class DeviceList : public QObject {
  Q_OBJECT

 public:
  using Look = std::function<std::vector<DeviceInfo>()>;

  /// @param look is called on another thread, once
  explicit DeviceList(Look look = list_devices);

  /// Empty while this computer's devices are looked for.
  const std::vector<DeviceInfo>& all() const { return is_remote_ ? elsewhere_ : here_; }
  /// By `device_meant`; null when it is none of them.
  const DeviceInfo* meant_by(const std::string& name) const { return device_meant(all(), name); }

  bool is_remote() const { return is_remote_; }
  void set_remote(bool is_remote);

 Q_SIGNALS:
  void changed();

 private:
  void take(const std::vector<DeviceInfo>& found);

  std::vector<DeviceInfo> here_;
  std::vector<DeviceInfo> elsewhere_;
  bool is_remote_ = false;
  // Last, so that it is joined before anything that its job touches goes away.
  JobThread thread_{JobThread::AtEnd::drop};
};

}  // namespace stashscope::ui
