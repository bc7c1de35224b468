#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/allocator/allocator_settings.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The bytes that a step needs with one value for a dimension: the peak of its tensors or, if the
/// sweep has an allocator, the bytes that the allocator reserves for them.
struct SweepPoint {
  std::int64_t value = 0;
  std::string fault;                ///< if not empty: why no bytes could be computed
  std::int64_t baseline_bytes = 0;  ///< without plans, in the file's order
  std::int64_t current_bytes = 0;   ///< with the plans, order and fusions of the study

  friend bool operator==(const SweepPoint&, const SweepPoint&) = default;
};

/// At most `count` distinct integers from `from` to `to` (both included), evenly spaced and
/// ascending. Empty if `from` is above `to` or `count` is below 1.
std::vector<std::int64_t> sweep_values(std::int64_t from, std::int64_t to, int count);

/// The values of `sweep_values`, ordered so that the first few already outline the curve: the ends,
/// the middle, then the middles of the gaps.
std::vector<std::int64_t> coarse_first(const std::vector<std::int64_t>& values);

/// Computes what the step needs for values of one dimension, in the given order. The bytes of each
/// point are those of a study with the value, with one exception: a searched order is not searched
/// again for the value (resized_step.h). Throws a cancelled Error when cancelled.
/// @param on_point called on the calling thread after each value
/// @param allocator if set, the points have what an allocator with these settings reserves
void sweep(const Study& study, const Dimension& dimension, const std::vector<std::int64_t>& values,
           const std::function<void(const SweepPoint&)>& on_point, const Progress& progress,
           const std::optional<AllocatorSettings>& allocator = {});

/// Whether sweeps of a dimension have the same points in both studies, for example because the
/// studies differ only in the size of the dimension. Both sweeps must have the same allocator or
/// none.
bool have_same_sweep(const Study& a, const Study& b, const std::string& dimension);

}  // namespace stashscope
