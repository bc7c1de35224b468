#pragma once

#include <chrono>
#include <optional>

#include "core/base/progress.h"

namespace stashscope {

/// Says when to stop waiting for a child.
class Deadline {
 public:
  /// @param limit from now on; nothing: as long as it takes
  Deadline(Progress progress, std::optional<std::chrono::milliseconds> limit)
      : progress_(std::move(progress)), limit_(limit) {}

  /// Throws a cancelled Error, or when the time is over a run Error that names the limit.
  void check() const;

 private:
  Progress progress_;
  std::optional<std::chrono::milliseconds> limit_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace stashscope
