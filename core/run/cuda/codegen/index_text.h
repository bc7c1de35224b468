#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stashscope::cuda {

/// The numbers that a kernel needs to read data by indices along one axis. (ONNX, GatherElements)
struct ElementsAlong {
  std::int64_t size = 1;          ///< of the data along the axis
  std::int64_t stride = 1;        ///< of the data along the axis
  std::int64_t line = 1;          ///< number of indices along the axis
  std::int64_t line_step = 1;     ///< stride of the indices along the axis
  std::vector<std::string> axes;  ///< BoxAxis<...> for each axis of the indices, innermost first
};

/// @param indices,data dims of the two tensors
/// @param axis -1 is the last axis
ElementsAlong elements_along(const std::vector<std::int64_t>& indices,
                             const std::vector<std::int64_t>& data, std::int64_t axis);

/// The numbers that a kernel needs to read slices of data by index tuples. Data and indices share
/// `batch` leading axes. The last axis of the indices holds a tuple: one index for the first data
/// axis after the batch axes, one for the second, and so on. (ONNX, GatherND)
struct Slices {
  std::int64_t tuples = 1;
  std::int64_t length = 1;        ///< elements of a slice
  std::int64_t per_batch = 1;     ///< tuples of each item of the batch
  std::int64_t batch_slices = 1;  ///< slices of the data in each item of the batch
  std::vector<std::string> axes;  ///< TupleAxis<...> for each entry of a tuple
};

Slices slices_of(const std::vector<std::int64_t>& indices, const std::vector<std::int64_t>& data,
                 std::int64_t batch);

}  // namespace stashscope::cuda
