#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/schedule/orders/orders.h"

namespace stashscope {

/// The user's exceptions to a fusion strategy.
struct FusionEdits {
  std::vector<NodeId> alone;                     ///< nodes that are never fused
  std::vector<std::pair<NodeId, NodeId>> apart;  ///< pairs of nodes that are never in one group
};

/// The input of a fusion strategy.
struct FusionInput {
  const OrderInput& step;      ///< the step before anything is fused
  const OrderStrategy& order;  ///< the order strategy of the fused step
  const FusionEdits& edits;
};

/// A named rule that chooses which pointwise nodes run as one kernel.
struct FusionStrategy {
  std::string_view name;         ///< the value of --fuse
  std::string_view description;  ///< one clause for lists and tooltips
  /// Returns groups without a cycle of dependencies between them, so that a valid order exists.
  FusedGroups (*groups)(const FusionInput&);
};

/// All strategies; the first is the default and fuses nothing.
std::span<const FusionStrategy> fusion_strategies();

/// Throws a usage Error with the list of names if no strategy is called `name`.
const FusionStrategy& find_fusion(std::string_view name);

/// The input of an order strategy for a fused step. Holds references to the arguments.
OrderInput fused_input(const OrderInput& step, const FusedStep& fused, const FusedGroups& groups);

/// The step's nodes in the order of the strategy. The members of a group stay together.
std::vector<NodeId> nodes_in(const OrderInput& step, const OrderStrategy& order,
                             const FusedGroups& groups);

/// The timeline of the step in a given order or in the order of a strategy.
/// @param nodes all nodes, with the members of a group together
Timeline timeline_in(const OrderInput& step, std::vector<NodeId> nodes, const FusedGroups& groups);
Timeline timeline_in(const OrderInput& step, const OrderStrategy& order, const FusedGroups& groups);

}  // namespace stashscope
