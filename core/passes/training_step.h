#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// A weight and the graph output that holds its gradient (invalid: it receives none).
struct Parameter {
  ValueId value;
  ValueId gradient;
};

/// A graph with a forward and a backward part, and what is known of its roles.
struct TrainingStep {
  std::shared_ptr<const Graph> graph;
  NodeId yield;  ///< the boundary; invalid: the graph has none that is known
  std::vector<Parameter> parameters;
  std::vector<std::string> warnings;
};

/// What of a forward model is trained.
struct TrainingGoal {
  std::string loss;                    ///< graph output; empty: the only scalar one, or all
  std::vector<std::string> trainable;  ///< name patterns that are parameters although not guessed
  std::vector<std::string> frozen;     ///< name patterns that are not parameters although guessed

  friend bool operator==(const TrainingGoal&, const TrainingGoal&) = default;
};

/// Whether the graph already holds a backward pass: a YieldOp, gradient operators or outputs that
/// are named after inputs as gradients are.
bool has_backward(const Graph& graph);

/// The roles in a graph that already holds a backward pass. Throws an input Error for two YieldOps.
TrainingStep find_boundary(std::shared_ptr<const Graph> graph);

/// Adds the backward pass to a forward model: a YieldOp that takes all outputs and returns the
/// gradient of the loss, then gradient nodes by the operators' rules, and one output `<name>_grad`
/// for each parameter. Nodes that lead to no output are left out. Without a scalar output every
/// floating output gets a seed gradient. @param graph with inferred shapes; the result needs to be
/// inferred again. Throws an input Error when the loss of a model with weights is ambiguous,
/// NoGradientRule when an operator has no rule.
TrainingStep build_backward(const Graph& graph, const TrainingGoal& goal);

/// The whole way from a loaded model: inference, known branches, the backward pass where there is
/// none (with a warning instead when one of its operators has no gradient rule).
TrainingStep prepare_training_step(const Graph& model, const TrainingGoal& goal);

}  // namespace stashscope
