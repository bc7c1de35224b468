#pragma once

#include <optional>

#include "core/recompute/strategy.h"

namespace stashscope {

/// The value whose buffer `value` shares in ONNX Runtime's analysis: Reshape, Squeeze, Unsqueeze,
/// Flatten and Identity pass on their input's buffer; so do kernels that write into their input, if
/// the version's rules say so. Empty if `value` has its own buffer, if the owner of the buffer has
/// no producer, or if the YieldOp is the first reader of `value` or of an alias between `value` and
/// the owner. In a graph without a YieldOp, a YieldOp is assumed that reads the boundary's outputs
/// after all forward nodes.
std::optional<ValueId> reused_buffer(const StrategyInput& input, ValueId value);

}  // namespace stashscope
