#pragma once

#include <string>
#include <vector>

#include "core/graph/boundary.h"
#include "core/graph/parameter.h"

namespace stashscope {

/// The backward pass that a graph already holds, derived from the graph's outputs.
struct GivenBackward {
  std::vector<Parameter> parameters;
  std::vector<ValueId> gradients;  ///< graph outputs; some may belong to no parameter
  Boundary boundary;
  /// Says which outputs were taken for gradients because of their shapes; empty: none.
  std::vector<std::string> warnings;
};

/// Whether the graph already holds a backward pass: a YieldOp, gradient operators, an optimizer, or
/// outputs that are gradients.
bool has_backward(const Graph& graph);

/// Finds the outputs that are gradients, the parameters of these gradients, and the end of the
/// forward pass. An output is the gradient of an input or initializer `w` if the part of its name
/// before the last `_grad` is `w`. The output of an optimizer is never a gradient. In a graph
/// without a YieldOp, an output is also a gradient if a gradient operator or gradient accumulation
/// produces it or if its name says so (`grad_3`). It then belongs to the next weight of its type
/// and shape that has no gradient yet. If the graph has neither such outputs nor operators of
/// training graphs, gradients are guessed: every weight that the loss needs must have an output of
/// its shape that depends on the weight's readers in the forward pass. The forward pass ends with
/// the YieldOp, else with the outputs that depend on no gradient, gradient operator or given seed
/// (`loss_grad`). Throws an input Error for two YieldOps.
GivenBackward find_given_backward(const Graph& graph);

}  // namespace stashscope
