#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/schedule/fusion/fusions.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The memory and cost of a step that runs in the order of its timeline.
std::shared_ptr<const Variant> make_variant(const PreparedStep& prepared, const Sizes& sizes,
                                            Dataflow dataflow, Timeline timeline,
                                            FusedGroups groups = {}, CopySchedule copies = {});

/// The input of order strategies for a step. Keeps references to the arguments.
OrderInput order_input(const PreparedStep& prepared, const Sizes& sizes, const UpdateMemory& update,
                       const Dataflow& dataflow, const Progress& progress = Progress());

/// The step in the chosen order, with the peaks of all order strategies. A search runs only if the
/// user chose this search; the peaks of other searches are taken from `known`.
/// @param step the step before its groups are fused
/// @param chosen not set: the planned order
/// @param known known rows of the same step with the same groups; may be empty
/// @param planned the order of the planned sequence, which has no groups; may be empty
OrderedStep in_chosen_order(const OrderInput& step, const FusedGroups& groups,
                            const std::optional<std::string>& chosen,
                            const std::vector<OrderRow>& known,
                            const std::vector<NodeId>& planned = {});

}  // namespace stashscope
