#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stashscope::cuda {

/// Elements of data that indices along one of its axes address. (ONNX, GatherElements)
struct ElementsAlong {
  std::int64_t size = 1;          ///< of the data along the axis
  std::int64_t stride = 1;        ///< of the data along the axis
  std::int64_t line = 1;          ///< how many indices there are along the axis
  std::int64_t line_step = 1;     ///< how far apart those lie
  std::vector<std::string> axes;  ///< BoxAxis<...> for each axis of the indices, innermost first
};

/// @param axis may count from the end
ElementsAlong elements_along(const std::vector<std::int64_t>& indices,
                             const std::vector<std::int64_t>& data, std::int64_t axis);

/// Slices of data that index tuples address; behind `batch` shared axes the last axis of the
/// indices counts along as many axes of the data as it is long. (ONNX, GatherND)
struct Slices {
  std::int64_t tuples = 1;
  std::int64_t length = 1;        ///< elements of a slice
  std::int64_t per_batch = 1;     ///< tuples
  std::int64_t batch_slices = 1;  ///< slices of the data in each item of the batch
  std::vector<std::string> axes;  ///< TupleAxis<...> for each entry of a tuple
};

Slices slices_of(const std::vector<std::int64_t>& indices, const std::vector<std::int64_t>& data,
                 std::int64_t batch);

}  // namespace stashscope::cuda
