#pragma once

#include "core/passes/rewriting/rewriter.h"

namespace stashscope {

/// A node of ONNX's operator `type` whose outputs are not named yet.
Node plain_node(std::string type, std::string name, std::vector<ValueId> inputs,
                Attributes attributes = {});

/// A loss of ONNX that compares scores with labels.
bool is_standard_loss(const Node& node);
/// The form in which ONNX Runtime trains with such a loss.
bool is_internal_loss(const Node& node);

/// The axes that a reduction reduces, ascending and each at least 0. Nothing if they are not known.
std::optional<Integers> reduced_axes(const Rewriter& graph, const Node& node);

/// The attribute `perm` of a Transpose, or the order that it stands for if it is absent.
/// @param rank the number of axes
Integers permutation_of(const Node& node, std::size_t rank);

/// Whether a Slice is known to take each element between its ends.
bool has_steps_of_one(const Rewriter& graph, const Node& node);

/// Makes a Shape give its dims from another node.
/// @param all makes all dims of the operand of the Shape, whose rank is `rank`
void replace_dims(Rewriter& graph, NodeId shape, Node all, std::int64_t rank);

}  // namespace stashscope
