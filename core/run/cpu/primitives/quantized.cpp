#include "core/run/cpu/primitives/quantized.h"

#include <algorithm>
#include <cmath>

#include "core/run/shared/numbers.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

/// Calls `change(value, number)` for each value and the number that applies to it. `values` holds
/// the elements of `items`.
template <class Change>
void for_each_with(const TensorView& items, const TensorView& numbers, std::int64_t axis,
                   std::vector<double>& values, Change change) {
  if (!numbers.present()) return;
  std::vector<std::int64_t> dims = numbers.dims;
  if (numbers.elements() == 1) {
    dims.assign(items.dims.size(), 1);
  } else if (dims.size() == 1 && items.dims.size() > 1) {
    dims.assign(items.dims.size(), 1);
    dims[axis_in(axis, items.rank())] = numbers.elements();
  }
  bool fits = dims.size() == items.dims.size();
  for (std::size_t i = 0; fits && i < dims.size(); ++i) {
    fits = dims[i] == 1 || dims[i] == items.dims[i];
  }
  if (!fits) fail_run("", "its scales or zero points do not match its data");
  const std::vector<double> list = numbers_of<double>(numbers);
  const StridedWalk<2> walk(items.dims,
                            {dense_strides(items.dims), broadcast_strides(items.dims, dims)});
  walk.for_each_run([&](const auto& at, std::int64_t count, const auto& step) {
    for (std::int64_t i = 0; i < count; ++i) {
      change(values[static_cast<std::size_t>(at[0] + i * step[0])],
             list[static_cast<std::size_t>(at[1] + i * step[1])]);
    }
  });
}

}  // namespace

IntegerLimits integer_limits(ElementType element) {
  const bool is_signed = name_of(element).starts_with("int");
  const double count = std::ldexp(1.0, bits_per_element(element));
  return is_signed ? IntegerLimits{-count / 2, count / 2 - 1} : IntegerLimits{0, count - 1};
}

std::vector<double> real_numbers(const TensorView& items, const TensorView& scale,
                                 const TensorView& zero_point, std::int64_t axis) {
  std::vector<double> values = numbers_of<double>(items);
  for_each_with(items, zero_point, axis, values, [](double& item, double zero) { item -= zero; });
  for_each_with(items, scale, axis, values, [](double& item, double by) { item *= by; });
  return values;
}

void store_quantized(const std::vector<double>& numbers, const TensorView& scale,
                     const TensorView& zero_point, const TensorView& out) {
  if (!is_integer(out.element)) fail_type(out.element);
  if (scale.elements() > 1 || zero_point.elements() > 1) {
    fail_run("", "has several scales or zero points for its output, which is not supported");
  }
  const double by = number_of<double>(scale);
  const double zero = number_of<double>(zero_point);
  const IntegerLimits limits = integer_limits(out.element);
  std::vector<double> stored;
  stored.reserve(numbers.size());
  for (const double number : numbers) {
    stored.push_back(std::clamp(std::nearbyint(number / by) + zero, limits.least, limits.greatest));
  }
  store_numbers(stored, out);
}

}  // namespace stashscope::cpu
