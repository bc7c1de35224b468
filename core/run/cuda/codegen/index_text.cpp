#include "core/run/cuda/codegen/index_text.h"

#include <algorithm>
#include <utility>

#include "core/run/cuda/codegen/box.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

ElementsAlong elements_along(const std::vector<std::int64_t>& indices,
                             const std::vector<std::int64_t>& data, std::int64_t axis) {
  const std::size_t along = kernels::axis_in(axis, std::ssize(data));
  std::vector<std::int64_t> strides = kernels::dense_strides(data);
  const std::int64_t stride = std::exchange(strides[along], 0);
  return {.size = data[along],
          .stride = stride,
          .line = indices[along],
          .line_step = kernels::dense_strides(indices)[along],
          .axes = axis_texts(merged_box<1>(indices, {strides}))};
}

Slices slices_of(const std::vector<std::int64_t>& indices, const std::vector<std::int64_t>& data,
                 std::int64_t batch) {
  const auto first = static_cast<std::size_t>(batch);
  const auto last = first + static_cast<std::size_t>(indices.back());
  Slices slices;
  for (std::size_t i = 0; i + 1 < indices.size(); ++i) {
    slices.tuples *= indices[i];
    if (i >= first) slices.per_batch *= indices[i];
  }
  slices.per_batch = std::max<std::int64_t>(slices.per_batch, 1);
  for (std::size_t i = last; i < data.size(); ++i) slices.length *= data[i];
  for (std::size_t i = last; i-- > first;) {
    slices.axes.push_back("TupleAxis<" + std::to_string(data[i]) + ", " +
                          std::to_string(slices.batch_slices) + ">");
    slices.batch_slices *= data[i];
  }
  std::reverse(slices.axes.begin(), slices.axes.end());
  return slices;
}

}  // namespace stashscope::cuda
