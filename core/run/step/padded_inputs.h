#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Whether the step leaves tokens out by a mask or by labels, and `given` has neither of them. Then
/// the random mask and the random labels must keep as many tokens as the step has rows for.
bool makes_padding(const Graph& graph, const std::map<std::string, Tensor>& given);

/// Changes the mask [batch, positions] or the labels so that only the first tokens of each sequence
/// are kept: the mask hides all other tokens, and labels that would keep other tokens become the
/// ignored label. Every micro-batch gets as many kept tokens as the sizes say, spread evenly over
/// its sequences. Data of other inputs is returned unchanged. Throws an input Error for element
/// types that Tensor::of_integers rejects.
/// @param input a graph input
/// @param data random data for this input
Tensor with_padding(const Graph& graph, const Bindings& bindings, ValueId input, Tensor data);

}  // namespace stashscope
