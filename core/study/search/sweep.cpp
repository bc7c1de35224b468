#include "core/study/search/sweep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "core/schedule/orders/orders.h"
#include "core/study/edits/dimension_edits.h"
#include "core/study/reserved/reserved_memory.h"
#include "core/study/search/plan_evaluator.h"
#include "core/study/search/resized_step.h"

namespace stashscope {

namespace {

/// The bytes that a timeline needs.
using BytesOf = std::function<std::int64_t(const Timeline&)>;

BytesOf timeline_bytes(const Study& study, const std::optional<AllocatorSettings>& allocator) {
  if (!allocator) return [](const Timeline& timeline) { return timeline.peak_bytes; };
  return [&rules = study.prepared->rules, &settings = *allocator](const Timeline& timeline) {
    return reserved_memory(rules, timeline, settings).reserved_bytes;
  };
}

SweepPoint point_at(const StepResizer& resizer, const BytesOf& bytes_of, const Dimension& dimension,
                    std::int64_t value) {
  SweepPoint point;
  point.value = value;
  try {
    const auto sizes = resizer.sizes_with({dimension}, value);
    point.baseline_bytes = bytes_of(resizer.resize(resizer.baseline(), sizes).timeline);
    point.current_bytes = bytes_of(resizer.resize(resizer.current(), sizes).timeline);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::input) throw;
    point.fault = error.what();
  }
  return point;
}

/// The choices that the points of a sweep depend on; nothing if the study lacks the dimension.
std::optional<Choices> choices_of_sweep(const Study& study, const std::string& dimension) {
  const auto& all = study.sizes->dims.dimensions;
  const auto found = std::ranges::find(all, dimension, &Dimension::name);
  if (found == all.end()) return std::nullopt;
  Choices choices = study.choices;
  choices.dims = without_size_of(study, choices.dims, *found);
  return choices;
}

}  // namespace

std::vector<std::int64_t> sweep_values(std::int64_t from, std::int64_t to, int count) {
  std::vector<std::int64_t> values;
  if (from > to || count < 1) return values;
  const std::int64_t gaps = std::max(1, count - 1);
  const double distance = static_cast<double>(to - from) / static_cast<double>(gaps);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t value =
        i == gaps ? to : from + std::llround(distance * static_cast<double>(i));
    if (values.empty() || value > values.back()) values.push_back(value);
  }
  return values;
}

std::vector<std::int64_t> coarse_first(const std::vector<std::int64_t>& values) {
  std::vector<std::int64_t> order;
  std::vector<bool> is_taken(values.size(), false);
  const auto take = [&](std::size_t at) {
    if (!is_taken[at]) order.push_back(values[at]);
    is_taken[at] = true;
  };
  if (!values.empty()) take(0);
  if (!values.empty()) take(values.size() - 1);
  for (std::size_t stride = std::bit_ceil(values.size()) / 2; stride > 0; stride /= 2) {
    for (std::size_t at = stride; at < values.size(); at += stride) take(at);
  }
  return order;
}

void sweep(const Study& study, const Dimension& dimension, const std::vector<std::int64_t>& values,
           const std::function<void(const SweepPoint&)>& on_point, const Progress& progress,
           const std::optional<AllocatorSettings>& allocator) {
  const StepResizer resizer(study, progress);
  const BytesOf bytes_of = timeline_bytes(study, allocator);
  double done = 0;
  for (const std::int64_t value : values) {
    progress.update(done++ / static_cast<double>(values.size()), "peaks");
    on_point(point_at(resizer, bytes_of, dimension, value));
  }
}

bool have_same_sweep(const Study& a, const Study& b, const std::string& dimension) {
  if (a.model != b.model) return false;
  // A searched order depends on the size for which it was searched.
  if (is_order_searched(a)) return same_step(a.choices, b.choices);
  const auto of_a = choices_of_sweep(a, dimension);
  const auto of_b = choices_of_sweep(b, dimension);
  return of_a && of_b && same_step(*of_a, *of_b);
}

}  // namespace stashscope
