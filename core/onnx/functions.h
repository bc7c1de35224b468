#pragma once

#include <onnx/onnx_pb.h>

namespace stashscope {

/// Replaces every call of one of the model's own functions by the function's nodes, in subgraphs
/// and in other functions too. What becomes of a call is named `<call>/<function>/<name>`, so that
/// its nodes stay together as a group. Throws an input Error that names the function: it calls
/// itself, is nested too deeply, needs another version of an operator than the model, or the
/// expanded graph exceeds 10 million nodes.
void inline_functions(onnx::ModelProto& model);

}  // namespace stashscope
