#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// The peak of a step with one value for a dimension.
struct SweepPoint {
  std::int64_t value = 0;
  std::string fault;  ///< not empty: the model does not take the value, and no peak is known
  std::int64_t baseline_bytes = 0;  ///< peak without plans, in the file's order
  std::int64_t current_bytes = 0;   ///< with the plans, order and fusions in force

  friend bool operator==(const SweepPoint&, const SweepPoint&) = default;
};

/// At most `count` different whole numbers, evenly spread, the ends among them; ascending. Empty
/// where `from` is above `to` or `count` is below 1.
std::vector<std::int64_t> sweep_values(std::int64_t from, std::int64_t to, int count);

/// The same values in an order in which the first few already show the curve: the ends, the middle,
/// the middles of what lies between.
std::vector<std::int64_t> coarse_first(const std::vector<std::int64_t>& values);

/// The peaks for values of one dimension, in the order given. Each is that of a study with the
/// value; only an order that was searched for is kept (resized_step.h).
/// @param on_point called on this thread, after each
/// Throws when cancelled.
void sweep(const Study& study, const Dimension& dimension, const std::vector<std::int64_t>& values,
           const std::function<void(const SweepPoint&)>& on_point, const Progress& progress);

/// Whether a sweep of a dimension has the same points in both studies, as when they differ in its
/// size only.
bool have_same_sweep(const Study& a, const Study& b, const std::string& dimension);

}  // namespace stashscope
