#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/schedule/orders/orders.h"

namespace stashscope {

/// What the user wants otherwise than a fusion strategy would have it.
struct FusionEdits {
  std::vector<NodeId> alone;                     ///< in no group
  std::vector<std::pair<NodeId, NodeId>> apart;  ///< never in one group
};

/// What a fusion strategy may look at.
struct FusionInput {
  const OrderInput& step;      ///< before anything is fused
  const OrderStrategy& order;  ///< in which the step will run
  const FusionEdits& edits;
};

/// A named way to run several pointwise nodes as one.
struct FusionStrategy {
  std::string_view name;         ///< as typed after --fuse
  std::string_view description;  ///< one clause for lists and tooltips
  /// Groups that can be brought into an order: none needs what another one makes of its own.
  FusedGroups (*groups)(const FusionInput&);
};

/// All strategies; the first is the default, no groups.
std::span<const FusionStrategy> fusion_strategies();

/// Throws a usage Error that lists the names when there is none called `name`.
const FusionStrategy& find_fusion(std::string_view name);

/// What order strategies see of a step with groups. Refers to its arguments.
OrderInput fused_input(const OrderInput& step, const FusedStep& fused, const FusedGroups& groups);

/// The step's nodes in an order that keeps groups together, and the timeline of such an order.
std::vector<NodeId> nodes_in(const OrderInput& step, const OrderStrategy& order,
                             const FusedGroups& groups);
Timeline timeline_in(const OrderInput& step, std::vector<NodeId> nodes, const FusedGroups& groups);
Timeline timeline_in(const OrderInput& step, const OrderStrategy& order, const FusedGroups& groups);

}  // namespace stashscope
