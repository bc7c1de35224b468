#pragma once

#include "core/passes/rewriting/rewriter.h"

namespace stashscope {

/// A node of ONNX's operator `type` whose outputs are not named yet.
Node plain_node(std::string type, std::string name, std::vector<ValueId> inputs,
                Attributes attributes = {});
/// As `plain_node`, in the domain `com.microsoft`.
Node microsoft_node(std::string type, std::string name, std::vector<ValueId> inputs,
                    Attributes attributes = {});

/// Whether a node is a loss of ONNX that compares scores with labels.
bool is_standard_loss(const Node& node);
/// Whether a node is SoftmaxCrossEntropyLossInternal, the loss with which ONNX Runtime trains.
bool is_internal_loss(const Node& node);

/// The axes that a reduction reduces, ascending and each at least 0. Nothing if they are not known.
std::optional<Integers> reduced_axes(const Rewriter& graph, const Node& node);

/// The attribute `perm` of a Transpose; if the node has none, the axes in reversed order.
/// @param rank the number of axes
Integers permutation_of(const Node& node, std::size_t rank);

/// Whether a Slice is known to have only steps of 1.
bool has_steps_of_one(const Rewriter& graph, const Node& node);

/// Replaces a Shape node by nodes that compute the same dims without reading its operand.
/// @param all computes all dims of the operand, also those that the Shape leaves out
/// @param rank rank of the operand
void replace_dims(Rewriter& graph, NodeId shape, Node all, std::int64_t rank);

}  // namespace stashscope
