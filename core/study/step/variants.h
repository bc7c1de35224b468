#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/schedule/fusion/fusions.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The memory and cost of a step that runs as its timeline says.
std::shared_ptr<const Variant> make_variant(const PreparedStep& prepared, const Sizes& sizes,
                                            Dataflow dataflow, Timeline timeline,
                                            FusedGroups groups = {});

/// What order strategies see of a step. Refers to its arguments.
OrderInput order_input(const PreparedStep& prepared, const Sizes& sizes, const UpdateMemory& update,
                       const Dataflow& dataflow, const Progress& progress = Progress());

/// The nodes of a step in the order that was chosen, beside all orders with their peaks.
struct OrderedStep {
  std::vector<NodeId> nodes;
  std::vector<OrderRow> rows;
};

/// Searches that were not chosen are not done; they keep the peaks that `known` has of them.
/// @param step before its groups are fused
/// @param known rows of the same step with the same groups; may be empty
/// @param planned the order called planned_order; may be empty; it knows nothing of groups
OrderedStep in_chosen_order(const OrderInput& step, const FusedGroups& groups,
                            const std::string& chosen, const std::vector<OrderRow>& known,
                            const std::vector<NodeId>& planned = {});

}  // namespace stashscope
