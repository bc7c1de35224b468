#pragma once

#include <chrono>
#include <optional>

#include "core/base/progress.h"

namespace stashscope {

/// Decides when to stop waiting for a child.
class Deadline {
 public:
  /// @param limit counted from now; nothing: no time limit
  Deadline(Progress progress, std::optional<std::chrono::milliseconds> limit)
      : progress_(std::move(progress)), limit_(limit) {}

  /// Throws a cancelled Error if the user cancelled, and a run Error that names the limit if the
  /// limit has passed.
  void check() const;

 private:
  Progress progress_;
  std::optional<std::chrono::milliseconds> limit_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace stashscope
