#pragma once

#include <string>
#include <vector>

#include "core/schedule/fusion/fusions.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The groups that the choice asks for; none in a planned order.
FusedGroups chosen_groups(const OrderInput& step, const std::string& order,
                          const FusionChoice& choice);

/// Names of nodes that the choice speaks of and the dataflow does not have.
std::vector<std::string> unknown_nodes(const Graph& graph, const Dataflow& dataflow,
                                       const FusionChoice& choice);

/// What each fusion strategy would do to the study's current step, in its order (in the file's,
/// when that takes a search) with the moves made in it; nothing in a planned order. For very large
/// graphs only of the chosen one: it takes seconds.
std::vector<FusionRow> fusion_table(const Study& study, const Progress& progress = Progress());

/// The current step's groups of nodes, by name.
std::vector<std::vector<std::string>> group_names(const Study& study);

}  // namespace stashscope
