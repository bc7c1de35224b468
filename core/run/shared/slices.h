#pragma once

#include "core/run/shared/kernel.h"

namespace stashscope::kernels {

/// Starts, axes and steps of a slice. Without axes, the slice applies to the leading axes in order;
/// without steps, all steps are 1. Ends are not needed, because the dims of the result give the
/// numbers of elements.
struct SliceNumbers {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> axes;
  std::vector<std::int64_t> steps;
};

/// Reads starts, axes and steps from the inputs. `first` is the input index of the starts. The next
/// three inputs are the ends, which are not read, the axes and the steps.
SliceNumbers slice_operands(const std::vector<TensorView>& inputs, std::size_t first);
/// Reads starts and axes from the attributes, as before version 10; all steps are 1.
SliceNumbers slice_attributes(const Attributes& attributes);

/// Strides and offset, in elements, of a slice within its dense tensor.
struct SlicedLayout {
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
};

/// @param dims dims of the tensor that is sliced
SlicedLayout sliced_layout(const std::vector<std::int64_t>& dims, const SliceNumbers& numbers);

}  // namespace stashscope::kernels
