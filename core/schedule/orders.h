#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/graph/boundary.h"
#include "core/graph/dataflow.h"

namespace stashscope {

/// What an order strategy may look at.
struct OrderInput {
  const Graph& graph;
  const Dataflow& dataflow;
  const Boundary& boundary;
};

/// A named way to bring the nodes of a step into an order.
struct OrderStrategy {
  std::string_view name;         ///< as typed after --order
  std::string_view description;  ///< one clause for lists and tooltips
  /// Every node once, producers before readers; clones as late as the order allows.
  std::vector<NodeId> (*order)(const OrderInput&);
};

/// All strategies; the first is the default.
std::span<const OrderStrategy> order_strategies();

/// Throws a usage Error that lists the names when there is none called `name`.
const OrderStrategy& find_order(std::string_view name);

/// Kahn's algorithm with the reference's priorities: a ready Shape or Size first, then ordinary
/// nodes before clones, then what the YieldOp (or the loss, without one) needs, then the lowest id.
std::vector<NodeId> reference_order(const OrderInput& input);

/// Whether that order runs the node as soon as it is ready: a Shape or Size.
bool runs_first(const Node& node);

}  // namespace stashscope
