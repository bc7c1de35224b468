#pragma once

#include <string>
#include <vector>

#include "core/graph/boundary.h"
#include "core/graph/parameter.h"

namespace stashscope {

/// What a graph's own outputs tell of the backward pass that it holds.
struct GivenBackward {
  std::vector<Parameter> parameters;
  std::vector<ValueId> gradients;  ///< outputs that are gradients or updates, paired or not
  Boundary boundary;
  std::vector<std::string> warnings;  ///< what had to be guessed
};

/// Whether the graph already holds a backward pass: a YieldOp, gradient operators, an optimizer, or
/// outputs that are gradients.
bool has_backward(const Graph& graph);

/// Finds the gradients among the outputs, what they belong to, and where forward ends.
/// An output is a gradient when gradient accumulation or an optimizer makes it or when its name
/// says so (`w_grad`, `grad_3`); it belongs to the input or initializer that the name speaks of,
/// else to the next of its shape. Without any such name the outputs are gradients when each
/// parameter of the loss has one of its shape that depends on what forward makes of it.
/// Forward ends with the YieldOp, else with the outputs that depend on no gradient, gradient
/// operator or given seed (`loss_grad`). Throws an input Error for two YieldOps.
GivenBackward find_given_backward(const Graph& graph);

}  // namespace stashscope
