#include "ui/jobs/device_list.h"

#include "core/run/devices/devices.h"

namespace stashscope::ui {

namespace {

/// Number of GPUs listed for another machine. If a machine has more GPUs, the user can type the
/// name of a GPU that is not listed.
constexpr int most_offered = 8;

}  // namespace

DeviceList::DeviceList(Look look) {
  const std::string unknown = tr("a GPU that the other machine may have").toStdString();
  elsewhere_.push_back({"cpu", tr("the other machine's processor").toStdString(), true});
  for (int index = 0; index < most_offered; ++index) {
    elsewhere_.push_back({"cuda:" + std::to_string(index), unknown, true});
  }
  thread_.post([this, look = std::move(look)] {
    QMetaObject::invokeMethod(
        this, [this, found = look()] { take(found); }, Qt::QueuedConnection);
  });
}

void DeviceList::set_remote(bool is_remote) {
  if (is_remote_ == is_remote) return;
  is_remote_ = is_remote;
  Q_EMIT changed();
}

void DeviceList::take(const std::vector<DeviceInfo>& found) {
  here_ = found;
  Q_EMIT listed_here();
  if (!is_remote_) Q_EMIT changed();
}

}  // namespace stashscope::ui
