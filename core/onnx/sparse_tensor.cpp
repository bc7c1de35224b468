#include "core/onnx/sparse_tensor.h"

#include <cstring>

#include "core/base/error.h"
#include "core/onnx/tensor_proto.h"

namespace stashscope {

namespace {

/// The positions of the values among all elements of the dense tensor.
std::vector<std::int64_t> flat_indices(const Tensor& indices, std::int64_t values,
                                       const std::vector<std::int64_t>& dims) {
  const auto numbers = indices.integers();
  const auto rank = static_cast<std::int64_t>(dims.size());
  const bool are_flat = indices.dims() == std::vector{values};
  if (!numbers || !(are_flat || indices.dims() == std::vector{values, rank})) {
    fail_input(
        "", "its indices are not integers, or their dims are neither [values] nor [values, rank]");
  }
  if (are_flat) return *numbers;
  std::vector<std::int64_t> flat;
  auto number = numbers->begin();
  for (std::int64_t i = 0; i < values; ++i) {
    std::int64_t index = 0;
    for (const std::int64_t dim : dims) {
      if (*number < 0 || *number >= dim) {
        fail_input("", "its index " + std::to_string(*number) +
                           " is outside of a dimension of size " + std::to_string(dim));
      }
      index = index * dim + *number++;
    }
    flat.push_back(index);
  }
  return flat;
}

}  // namespace

Tensor read_sparse_tensor(onnx::SparseTensorProto& proto, const std::filesystem::path& folder,
                          std::int64_t& bytes_left, std::vector<std::string>& warnings) {
  const Tensor values = read_tensor(*proto.mutable_values(), folder, warnings);
  const Tensor indices = read_tensor(*proto.mutable_indices(), folder, warnings);
  std::vector<std::int64_t> dims(proto.dims().begin(), proto.dims().end());
  const std::int64_t elements = element_count(dims);
  const std::int64_t bytes = packed_bytes(values.element(), elements);
  const int bits = bits_per_element(values.element());
  if (bits == 0 || bits % 8 != 0)
    fail_input("", "is sparse, which is not supported for its element type");
  if (bytes > bytes_left) {
    fail_input("",
               "is sparse and takes " + std::to_string(bytes) +
                   " bytes as a dense tensor; of what the sparse tensors of a graph may take, " +
                   std::to_string(bytes_left) + " bytes are left",
               "store it as a dense tensor with external data");
  }
  bytes_left -= bytes;
  if (!values.has_data() || !indices.has_data()) return {values.element(), std::move(dims)};
  const std::size_t width = static_cast<std::size_t>(bits) / 8;
  std::string raw(static_cast<std::size_t>(bytes), '\0');
  const TensorBytes given = values.load();
  const auto places = flat_indices(indices, values.elements(), dims);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0 || places[i] >= elements) {
      fail_input("", "its index " + std::to_string(places[i]) + " is outside of " +
                         std::to_string(elements) + " elements");
    }
    std::memcpy(raw.data() + static_cast<std::size_t>(places[i]) * width,
                given.bytes.data() + i * width, width);
  }
  return {values.element(), std::move(dims), std::move(raw)};
}

}  // namespace stashscope
