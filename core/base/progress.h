#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>

#include "core/base/error.h"

namespace stashscope {

/// Reports the progress of a long computation and carries the request to cancel it. All copies
/// share one cancel flag. Any thread may call `cancel`.
class Progress {
 public:
  using Report = std::function<void(double fraction, std::string_view stage)>;

  Progress() : cancelled_(std::make_shared<std::atomic<bool>>(false)) {}
  explicit Progress(Report report) : Progress() { report_ = std::move(report); }

  void cancel() const { cancelled_->store(true); }
  bool cancelled() const { return cancelled_->load(); }

  /// Reports `fraction` (0 to 1) of the named stage; throws a `cancelled` Error after `cancel`.
  void update(double fraction, std::string_view stage) const {
    if (cancelled()) throw Error(ErrorKind::cancelled, "", "cancelled");
    if (report_) report_(fraction, stage);
  }

 private:
  Report report_;
  std::shared_ptr<std::atomic<bool>> cancelled_;
};

}  // namespace stashscope
