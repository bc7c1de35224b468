#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/graph/tensor.h"

namespace stashscope {

/// Converts a tensor and checks it: known type, sizes within 64 bits, exactly the data that its
/// dims require, external data inside `folder`. Moves the raw data out of `proto`. A missing
/// external file, or a tensor that is stored without data, adds to `warnings`; then the result has
/// no data. Throws an input Error without the tensor's name; the caller adds the name.
Tensor read_tensor(onnx::TensorProto& proto, const std::filesystem::path& folder,
                   std::vector<std::string>& warnings);

void write_tensor(const Tensor& tensor, onnx::TensorProto& proto);

}  // namespace stashscope
