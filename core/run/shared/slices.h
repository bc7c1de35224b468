#pragma once

#include "core/run/shared/kernel.h"

namespace stashscope::kernels {

/// Where a slice starts along which axes, and its steps. No axes: all from the first one on; no
/// steps: all 1. How many elements are taken is known from the sliced dims.
struct SliceNumbers {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> axes;
  std::vector<std::int64_t> steps;
};

/// Starts, ends, axes and steps are operands from `first` on.
SliceNumbers slice_operands(const std::vector<TensorView>& inputs, std::size_t first);
/// Before version 10 the numbers are attributes and all steps 1.
SliceNumbers slice_attributes(const Attributes& attributes);

/// How the elements that a slice takes lie in a dense tensor, in elements.
struct SlicedLayout {
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
};

/// @param dims of the tensor that is sliced
SlicedLayout sliced_layout(const std::vector<std::int64_t>& dims, const SliceNumbers& numbers);

}  // namespace stashscope::kernels
