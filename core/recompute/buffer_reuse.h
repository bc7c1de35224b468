#pragma once

#include <optional>

#include "core/recompute/strategy.h"

namespace stashscope {

/// The value that owns the buffer of `value` in ONNX Runtime's analysis. Reshape, Squeeze,
/// Unsqueeze, Flatten and Identity pass on their input's buffer. So do kernels that write into
/// their input, if the version's rules say so. Several such nodes may follow each other between the
/// owner and `value`.
///
/// The result is empty
/// - if `value` has its own buffer,
/// - if the owner has no producer, or
/// - if the YieldOp is the first reader of `value` or of any value between the owner and `value`.
///
/// In a graph without a YieldOp, a YieldOp is assumed that reads the boundary's outputs after all
/// forward nodes.
std::optional<ValueId> reused_buffer(const StrategyInput& input, ValueId value);

}  // namespace stashscope
