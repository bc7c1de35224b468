#include "core/run/shared/walk.h"

namespace stashscope::kernels {

std::vector<std::int64_t> dense_strides(std::span<const std::int64_t> dims) {
  std::vector<std::int64_t> strides(dims.size());
  std::int64_t stride = 1;
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= dims[axis];
  }
  return strides;
}

std::vector<std::int64_t> broadcast_strides(std::span<const std::int64_t> result,
                                            std::span<const std::int64_t> dims) {
  const std::vector<std::int64_t> own = dense_strides(dims);
  const std::size_t missing = result.size() - dims.size();
  std::vector<std::int64_t> strides(result.size(), 0);
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] != 1) strides[missing + axis] = own[axis];
  }
  return strides;
}

AxisSplit split_at(std::span<const std::int64_t> dims, std::int64_t axis) {
  const std::size_t at = axis_in(axis, std::ssize(dims));
  AxisSplit split;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    (i < at ? split.outer : i == at ? split.size : split.inner) *= dims[i];
  }
  return split;
}

}  // namespace stashscope::kernels
