#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/graph/tensor.h"

namespace stashscope {

/// Converts a tensor and checks it: known type, sizes that fit, exactly the data its dims ask for,
/// external data inside `folder`. Takes the raw data out of `proto`. A missing external file is
/// said in `warnings` and leaves the tensor without data. Throws an input Error that does not yet
/// name the tensor.
Tensor read_tensor(onnx::TensorProto& proto, const std::filesystem::path& folder,
                   std::vector<std::string>& warnings);

void write_tensor(const Tensor& tensor, onnx::TensorProto& proto);

}  // namespace stashscope
