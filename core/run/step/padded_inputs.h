#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Whether the step leaves tokens out and `given` has neither its mask nor its labels, so that both
/// are made with as many kept tokens as the step has.
bool makes_padding(const Graph& graph, const std::map<std::string, Tensor>& given);

/// The mask [batch, positions] that shows the first tokens of each sequence, or the labels, of
/// which those of all other tokens are the ignored one. Every micro-batch has as many kept tokens
/// as the sizes say, spread evenly over its sequences. Other inputs stay as they are. Throws an
/// input Error for masks of other types than bool, integers, float32 and float64.
/// @param input random data for a graph input
Tensor with_padding(const Graph& graph, const Bindings& bindings, ValueId input, Tensor data);

}  // namespace stashscope
