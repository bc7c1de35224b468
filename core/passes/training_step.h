#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/passes/gradients.h"
#include "core/passes/pass_selection.h"
#include "core/passes/training_goal.h"

namespace stashscope {

/// A graph with a forward and a backward part, and what is known of its roles.
struct TrainingStep {
  std::shared_ptr<const Graph> graph;
  Boundary boundary;
  std::vector<Parameter> parameters;
  std::vector<PassResult> passes;  ///< what was done to the forward model, in this order
  std::vector<std::string> warnings;
};

/// The roles in a graph that already holds a backward pass, by find_given_backward.
TrainingStep find_boundary(std::shared_ptr<const Graph> graph);

/// Adds the backward pass to a forward model: a YieldOp that takes all outputs and returns the
/// gradient of the loss, then gradient nodes by the operators' rules, and one output `<name>_grad`
/// for each parameter. Nodes that lead to no output are left out. Without a scalar output every
/// floating output gets a seed gradient. @param graph with inferred shapes; the result needs to be
/// inferred again. Throws an input Error when the loss of a model with weights is ambiguous,
/// NoGradientRule when an operator has no rule.
TrainingStep build_backward(const Graph& graph, const TrainingGoal& goal);

/// The whole way from a loaded model: inference, known branches, the selected passes, the backward
/// pass where there is none (with a warning instead when one of its operators has no gradient
/// rule). A model that holds its backward pass already is left as it is, with a warning.
TrainingStep prepare_training_step(const Graph& model, const TrainingGoal& goal,
                                   const PassSelection& passes = {});

}  // namespace stashscope
