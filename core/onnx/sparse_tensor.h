#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/graph/tensor.h"

namespace stashscope {

/// Limit on the dense bytes of all sparse tensors of one graph or subgraph.
constexpr std::int64_t most_dense_bytes = std::int64_t{1} << 31;

/// The dense form of a sparse tensor. It has no data if the values or the indices have none.
/// Indices are flat, or one row of coordinates for each value (onnx/docs/IR.md, SparseTensorProto).
/// Subtracts the bytes of the dense tensor from `bytes_left`. Throws an input Error if `bytes_left`
/// is too small, if values and indices do not fit the dims, for strings, and for elements that do
/// not take whole bytes.
Tensor read_sparse_tensor(onnx::SparseTensorProto& proto, const std::filesystem::path& folder,
                          std::int64_t& bytes_left, std::vector<std::string>& warnings);

}  // namespace stashscope
