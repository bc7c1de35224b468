#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stashscope::cuda {

/// How indices along one axis address elements of data. (ONNX, GatherElements)
struct ElementsAlong {
  std::int64_t size = 1;          ///< of the data along the axis
  std::int64_t stride = 1;        ///< of the data along the axis
  std::int64_t line = 1;          ///< number of indices along the axis
  std::int64_t line_step = 1;     ///< distance between them, in elements
  std::vector<std::string> axes;  ///< BoxAxis<...> for each axis of the indices, innermost first
};

/// @param axis a negative number counts from the last axis
ElementsAlong elements_along(const std::vector<std::int64_t>& indices,
                             const std::vector<std::int64_t>& data, std::int64_t axis);

/// How index tuples address slices of data: after `batch` shared axes, the last axis of the indices
/// holds one index per leading axis of the data. (ONNX, GatherND)
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
