#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/graph/tensor.h"

namespace stashscope {

/// The dense tensor of a sparse one. Indices are flat, or one row of coordinates for each value
/// (onnx/docs/IR.md, SparseTensorProto). Throws an input Error if values and indices do not fit the
/// dims, or if the dense tensor exceeds 4 GiB.
Tensor read_sparse_tensor(onnx::SparseTensorProto& proto, const std::filesystem::path& folder,
                          std::vector<std::string>& warnings);

}  // namespace stashscope
