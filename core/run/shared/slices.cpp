#include "core/run/shared/slices.h"

#include <algorithm>

#include "core/ops/rules/rules.h"
#include "core/run/shared/dispatch.h"
#include "core/run/shared/walk.h"

namespace stashscope::kernels {

SliceNumbers slice_operands(const std::vector<TensorView>& inputs, std::size_t first) {
  const auto optional = [&](std::size_t input) {
    const bool given = input < inputs.size() && inputs[input].present();
    return given ? as_integers(inputs[input]) : std::vector<std::int64_t>();
  };
  return {as_integers(inputs[first]), optional(first + 2), optional(first + 3)};
}

SliceNumbers slice_attributes(const Attributes& attributes) {
  return {attributes.integers("starts"), attributes.integers("axes"), {}};
}

SlicedLayout sliced_layout(const std::vector<std::int64_t>& dims, const SliceNumbers& numbers) {
  SlicedLayout layout{dense_strides(dims)};
  const auto axes = numbers.axes.empty() ? all_axes(std::ssize(numbers.starts)) : numbers.axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = axis_in(axes[i], std::ssize(dims));
    const std::int64_t step = numbers.steps.empty() ? 1 : numbers.steps[i];
    const std::int64_t size = dims[axis];
    const std::int64_t start = numbers.starts[i] + (numbers.starts[i] < 0 ? size : 0);
    const std::int64_t last = std::max<std::int64_t>(step > 0 ? size : size - 1, 0);
    layout.offset += std::clamp<std::int64_t>(start, 0, last) * layout.strides[axis];
    // A step beyond the axis takes one position, as one of its size does.
    const std::int64_t widest = std::max<std::int64_t>(size, 1);
    layout.strides[axis] *= std::clamp(step, -widest, widest);
  }
  return layout;
}

}  // namespace stashscope::kernels
