#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stashscope {

/// The opsets that a model imports, by domain ("" for ai.onnx). Adds to `warnings` if an opset is
/// missing, very old or newer than this program. Throws an input Error for a version below 1.
std::map<std::string, std::int64_t> read_opsets(const onnx::ModelProto& model,
                                                std::vector<std::string>& warnings);

}  // namespace stashscope
