#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stashscope {

/// The opsets that a model imports, by domain ("" for ai.onnx). Adds to `warnings` if no opset is
/// imported, if the opset of ai.onnx is below 7, or if this opset or the IR version is newer than
/// this program knows. Throws an input Error for a version below 1.
std::map<std::string, std::int64_t> read_opsets(const onnx::ModelProto& model,
                                                std::vector<std::string>& warnings);

}  // namespace stashscope
