#pragma once

#include <vector>

#include "core/base/progress.h"
#include "core/passes/graph_pass.h"

namespace stashscope {

/// The passes of the selection `all` that are not selected, and that would change the model if one
/// of them was. None for a model that already has a backward pass.
/// Leaves out a pass that cannot be applied, and a pass that the others contain: with all of them
/// on, it finds nothing to change, such as RMS normalization inside layer normalization. Throws a
/// cancelled Error when cancelled.
/// @param model as loaded
/// @param most the search ends when so many are found
std::vector<const GraphPass*> passes_with_effect(const Graph& model, const TrainingGoal& goal,
                                                 const PassSelection& selection, std::size_t most,
                                                 const Progress& progress = {});

}  // namespace stashscope
