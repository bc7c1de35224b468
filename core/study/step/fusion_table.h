#pragma once

#include <string>
#include <vector>

#include "core/schedule/fusion/fusions.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The fused groups of a step under `choice`. @param order the order strategy; not set: a planned
/// order, which has no groups
FusedGroups chosen_groups(const OrderInput& step, const std::optional<std::string>& order,
                          const FusionChoice& choice);

/// Names in the choice that no node of the dataflow has.
std::vector<std::string> unknown_nodes(const Graph& graph, const Dataflow& dataflow,
                                       const FusionChoice& choice);

/// Whether the table searches for the order under each fusion strategy, if the step's order is the
/// result of a search. A search takes seconds.
enum class SearchedOrders : std::uint8_t { leave_out, search };

/// The effect of each fusion strategy on the study's current step, under the step's order strategy
/// and moves. Empty for a planned order and for a captured step. Only the row of the chosen
/// strategy gets a peak and groups if computing the other rows would take seconds: in a step of
/// more than 30,000 nodes, and in a step with a searched order under `SearchedOrders::leave_out`.
std::vector<FusionRow> fusion_table(const Study& study, SearchedOrders searched,
                                    const Progress& progress = Progress());

/// For each fused group of the current step, the names of its nodes.
std::vector<std::vector<std::string>> group_names(const Study& study);

}  // namespace stashscope
