#pragma once

#include <onnx/onnx_pb.h>

namespace stashscope {

/// Checks that the model's own functions can be expanded: that none calls itself, and that the
/// expanded graph stays within 10 million nodes. Throws an input Error that names the function.
void check_functions(const onnx::ModelProto& model);

}  // namespace stashscope
