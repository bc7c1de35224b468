#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/passes/gradients.h"
#include "core/passes/pass_selection.h"
#include "core/passes/training_goal.h"

namespace stashscope {

/// A graph with a forward and a backward part, its boundary and its parameters.
struct TrainingStep {
  std::shared_ptr<const Graph> graph;
  Boundary boundary;
  std::vector<Parameter> parameters;
  std::vector<PassResult> passes;  ///< applied to the forward model, in this order
  std::vector<std::string> warnings;
  /// Why a forward model has no backward pass: the node, the rule, what to do. Empty: it has one.
  std::string no_backward;
};

/// The training step of a graph that already holds a backward pass, by find_given_backward.
TrainingStep find_boundary(std::shared_ptr<const Graph> graph);

/// Adds the backward pass to a forward model: a YieldOp that takes all outputs and returns the
/// gradient of the loss, then gradient nodes by the operators' rules, and one output `<name>_grad`
/// for each parameter. Nodes that lead to no output are removed. If the goal names no loss, the
/// only scalar output is the loss. Without a scalar output, every floating-point output gets a seed
/// gradient. Of several scalar outputs, the loss is the only one with `loss` in its name, or else
/// the first; a warning names it. Throws NoGradientRule when an operator has no rule.
/// @param model with inferred shapes; the result has them too
TrainingStep build_backward(const Graph& model, const TrainingGoal& goal);

/// From a loaded model to its training step: inference, inlining of known branches, the selected
/// passes, the backward pass. When an operator has no gradient rule, the step has only the forward
/// pass and a warning. A model that already holds its backward pass stays unchanged, with a warning
/// when passes are selected.
TrainingStep prepare_training_step(const Graph& model, const TrainingGoal& goal,
                                   const PassSelection& passes = {});

}  // namespace stashscope
