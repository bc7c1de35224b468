#pragma once

#include <onnx/onnx_pb.h>

namespace stashscope {

/// Replaces every call of a function that the model defines by the function's nodes, also in
/// subgraphs and in other functions. The nodes of a call are named `<call>/<function>/<name>`, so
/// that they stay together as a group. Throws an input Error when a function calls itself, is
/// nested too deeply, gets too many operands, or needs another operator version than the model, and
/// when the expanded graph exceeds 200,000 nodes.
void inline_functions(onnx::ModelProto& model);

}  // namespace stashscope
