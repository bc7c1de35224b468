#pragma once

#include <cstddef>
#include <string_view>

#include "core/graph/graph.h"

namespace stashscope {

/// Whether a dropout node may drop elements. False only if the node is known to run in evaluation
/// mode, in which the output equals the input.
bool dropout_trains(const Graph& graph, const Node& node);

/// Whether a Dropout before version 12, which has no input for the training mode, drops elements.
/// Versions 1 and 6 do unless the attribute `is_test` is set or `ratio` is 0; versions 7 and 10
/// never do. (ONNX, Dropout)
/// @param version the version of the operator, or the opset of the model
bool old_dropout_trains(const Attributes& attributes, std::int64_t version);

/// The place of the ratio among the inputs of a dropout operator that takes it as an input. A
/// training mode follows, if there is one.
std::size_t dropout_ratio_input(std::string_view op_type);

}  // namespace stashscope
