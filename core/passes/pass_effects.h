#pragma once

#include <vector>

#include "core/base/progress.h"
#include "core/passes/graph_pass.h"

namespace stashscope {

/// The passes that `all` selects, that are off, and that would change the model if they were
/// switched on one at a time. None for a model that already has a backward pass. Leaves out a pass
/// that cannot be applied, and a pass that finds nothing to change if all found passes are on
/// together. For example, the fusion of RMS normalization finds nothing inside a fused layer
/// normalization. Throws a cancelled Error when cancelled.
/// @param model as loaded
/// @param most the search ends when this many passes are found
std::vector<const GraphPass*> passes_with_effect(const Graph& model, const TrainingGoal& goal,
                                                 const PassSelection& selection, std::size_t most,
                                                 const Progress& progress = {});

}  // namespace stashscope
