#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

namespace stashscope::ui {

/// Begin and end of each slot of a curve, in milliseconds since the first slot began. A slot that
/// takes no time begins and ends at the same moment.
class StepClock {
 public:
  StepClock() : StepClock(std::span<const double>()) {}
  /// @param seconds duration of each slot; negative durations are replaced by 0
  explicit StepClock(std::span<const double> seconds) {
    begins_.reserve(seconds.size() + 1);
    begins_.push_back(0);
    for (const double each : seconds) begins_.push_back(begins_.back() + 1e3 * std::max(0.0, each));
    for (std::size_t i = 0; i < begins_.size(); i += mark_distance) marks_.push_back(begins_[i]);
  }

  double total() const { return begins_.back(); }
  std::size_t steps() const { return begins_.size() - 1; }

  /// The time at a position, which may lie inside a slot.
  double time_at(double step) const {
    const double at = std::clamp(step, 0.0, static_cast<double>(steps()));
    const auto index = static_cast<std::size_t>(at);
    if (index >= steps()) return total();
    const double share = at - static_cast<double>(index);
    return begins_[index] + share * (begins_[index + 1] - begins_[index]);
  }

  /// The position at a time: the index of a slot, from 0, plus the elapsed fraction of the slot.
  /// Slots that take no time are skipped. A time before the beginning gives 0. A time beyond the
  /// end gives the number of slots.
  double step_at(double time) const {
    if (time <= 0) return 0;
    if (time >= total()) return static_cast<double>(steps());
    const auto mark = std::upper_bound(marks_.begin(), marks_.end(), time) - marks_.begin();
    const auto from = begins_.begin() + (mark - 1) * mark_distance;
    const auto to = std::distance(from, begins_.end()) > mark_distance ? from + mark_distance + 1
                                                                       : begins_.end();
    const auto next = std::upper_bound(from, to, time);
    const double begin = *std::prev(next);
    return static_cast<double>(next - begins_.begin() - 1) + (time - begin) / (*next - begin);
  }

 private:
  static constexpr std::ptrdiff_t mark_distance = 64;

  std::vector<double> begins_;  ///< begin of each slot, then the end of the last slot
  std::vector<double> marks_;   ///< every `mark_distance`-th entry of `begins_`; searched first
};

}  // namespace stashscope::ui
