#pragma once

#include <string>
#include <vector>

#include "core/graph/boundary.h"
#include "core/graph/parameter.h"

namespace stashscope {

/// The backward pass that a graph already holds, derived from the graph's outputs.
struct GivenBackward {
  std::vector<Parameter> parameters;
  std::vector<ValueId> gradients;  ///< outputs, with or without a parameter
  Boundary boundary;
  std::vector<std::string> warnings;  ///< about outputs taken for gradients by shape
};

/// Whether the graph already holds a backward pass: a YieldOp, gradient operators, an optimizer, or
/// outputs that are gradients.
bool has_backward(const Graph& graph);

/// Finds the gradients among the outputs, their parameters, and the end of the forward pass.
/// An output is a gradient when a gradient operator or gradient accumulation produces it or when
/// its name says so (`w_grad`, `grad_3`); the output of an optimizer never is. The gradient belongs
/// to the input or initializer in its name, else to the next weight of its shape without a
/// gradient. If no output is a gradient by these rules, gradients are guessed: every weight that
/// the loss needs must have an output of its shape that depends on the weight's readers in the
/// forward pass. The forward pass ends with the YieldOp, else with the outputs that depend on no
/// gradient, gradient operator or given seed (`loss_grad`). Throws an input Error for two YieldOps.
GivenBackward find_given_backward(const Graph& graph);

}  // namespace stashscope
