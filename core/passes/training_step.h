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
  std::vector<WhatIfResult> what_ifs;  ///< results in the order of application
  std::vector<PassResult> passes;      ///< results in the order of application
  std::vector<std::string> warnings;
  /// Why a forward model has no backward pass and what the user can do; empty if the step has a
  /// backward pass.
  std::string no_backward;
  /// Reasons for which a step in micro-batches has other results than the step of the whole batch;
  /// one sentence each. `warnings` contains these sentences, too.
  std::vector<std::string> changed_results{};
  /// Conditions under which a step in micro-batches has the results of the whole batch; one
  /// sentence each. `warnings` contains these sentences, too.
  std::vector<std::string> conditions{};
};

/// The training step of a graph that already holds a backward pass, as `find_given_backward` finds
/// it.
TrainingStep find_boundary(std::shared_ptr<const Graph> graph);

/// Adds the backward pass to a forward model: a YieldOp that takes all outputs and returns the
/// gradient of the loss, then gradient nodes by the operators' rules, and one output `<name>_grad`
/// for each parameter. Nodes that lead to no output are removed. If the goal names no loss, the
/// only scalar output is the loss. Without a scalar output, every floating-point output gets a seed
/// gradient. Of several scalar outputs, the loss is the only one with `loss` in its name, or else
/// the first; a warning names it. A model with several scalar outputs but without weights has no
/// loss. If no parameter receives a gradient, the step has only the forward pass. Throws
/// NoGradientRule when an operator has no rule.
/// @param model a forward model with inferred shapes; the graph of the step has inferred shapes,
/// too
/// @param gradient_type the type in which float32 gradients of parameters become outputs;
/// undefined: float32
TrainingStep build_backward(const Graph& model, const TrainingGoal& goal,
                            ElementType gradient_type = ElementType::undefined);

/// Builds the training step of a loaded model: shape inference, inlining of known branches,
/// unpacking of sequences, the selected passes and what-ifs, the backward pass. When an operator
/// has no gradient rule, the step has only the forward pass and a warning. A model that already
/// holds its backward pass gets no pass and no what-if, and a warning if any is selected. A
/// captured step stays as it is.
TrainingStep prepare_training_step(const Graph& model, const TrainingGoal& goal,
                                   const PassSelection& passes = {});

}  // namespace stashscope
