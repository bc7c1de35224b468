#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace stashscope::ui {

/// When the steps of a curve begin and end, in milliseconds since the first. Steps that take no
/// time begin and end at once.
class StepClock {
 public:
  /// One step that takes no time.
  StepClock() : StepClock(std::span<const double>()) {}
  /// @param seconds that each step takes; negative ones count 0
  explicit StepClock(std::span<const double> seconds) {
    begins_.reserve(seconds.size() + 1);
    begins_.push_back(0);
    for (const double each : seconds) begins_.push_back(begins_.back() + 1e3 * std::max(0.0, each));
  }

  double total() const { return begins_.back(); }
  std::size_t steps() const { return begins_.size() - 1; }

  /// The time at a step or between two.
  double time_at(double step) const {
    const double at = std::clamp(step, 0.0, static_cast<double>(steps()));
    const auto index = static_cast<std::size_t>(at);
    if (index >= steps()) return total();
    const double share = at - static_cast<double>(index);
    return begins_[index] + share * (begins_[index + 1] - begins_[index]);
  }

  /// The step, in parts, that runs at a time; after steps that take no time. Before the beginning
  /// it is the first, beyond the end that after the last.
  double step_at(double time) const { return step_after(0, time); }

  /// The same of ascending times, together; of a million steps, neighbours are found much faster.
  std::vector<double> steps_at(std::span<const double> times) const {
    std::vector<double> found;
    found.reserve(times.size());
    double last = 0;
    for (const double time : times) {
      last = step_after(static_cast<std::size_t>(last), time);
      found.push_back(last);
    }
    return found;
  }

 private:
  /// @param known a step that is not behind the one that is looked for
  double step_after(std::size_t known, double time) const {
    if (time <= 0) return 0;
    if (time >= total()) return static_cast<double>(steps());
    std::size_t reach = 1;
    while (known + reach < begins_.size() && begins_[known + reach] <= time) reach *= 2;
    const auto at = [this](std::size_t step) {
      return begins_.begin() + static_cast<std::ptrdiff_t>(std::min(step, begins_.size()));
    };
    const auto next = std::upper_bound(at(known + reach / 2), at(known + reach + 1), time);
    const double begin = *std::prev(next);
    return static_cast<double>(next - begins_.begin() - 1) + (time - begin) / (*next - begin);
  }

  std::vector<double> begins_;  ///< by step and, last, the end
};

}  // namespace stashscope::ui
