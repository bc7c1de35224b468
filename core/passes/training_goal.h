#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The loss and the trained parameters of a training step of a forward model.
struct TrainingGoal {
  std::string loss;                    ///< name of an output; empty: `build_backward` chooses
  std::vector<std::string> trainable;  ///< name patterns of additional parameters
  std::vector<std::string> frozen;     ///< name patterns of values that are not parameters

  friend bool operator==(const TrainingGoal&, const TrainingGoal&) = default;
};

/// Values that may be parameters: floating-point initializers that are not literals or, if there
/// are none, graph inputs of a fixed shape. The goal's patterns add and exclude values. Throws a
/// usage Error for a pattern that matches no floating-point initializer or graph input.
std::vector<ValueId> parameter_candidates(const Graph& graph, const TrainingGoal& goal);

/// The outputs that the backward pass starts from: the loss, or every floating-point output if no
/// output is a scalar. None for a model with several scalar outputs but without weights. Throws an
/// input Error if the goal names a loss that the model does not have.
/// @param graph a forward model with inferred shapes
std::vector<ValueId> loss_outputs(const Graph& graph, const TrainingGoal& goal);

}  // namespace stashscope
