#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// What of a forward model is trained.
struct TrainingGoal {
  std::string loss;                    ///< graph output; empty: the only scalar one, or all
  std::vector<std::string> trainable;  ///< name patterns that are parameters although not guessed
  std::vector<std::string> frozen;     ///< name patterns that are not parameters although guessed

  friend bool operator==(const TrainingGoal&, const TrainingGoal&) = default;
};

/// Values that may be parameters: floating initializers that are no literals or, where there are
/// none, graph inputs of a fixed shape. Throws a usage Error for patterns that match nothing.
std::vector<ValueId> parameter_candidates(const Graph& graph, const TrainingGoal& goal);

}  // namespace stashscope
