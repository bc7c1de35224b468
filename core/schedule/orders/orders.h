#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/graph/boundary.h"
#include "core/graph/dataflow.h"
#include "core/memory/step_memory.h"

namespace stashscope {

/// The input of an order strategy.
struct OrderInput {
  const Graph& graph;
  const Dataflow& dataflow;
  std::vector<NodeId> forward_ends;  ///< the last nodes of the forward pass
  StepMemory memory;
  Progress progress = {};
};

enum class OrderKind : std::uint8_t {
  rule,     ///< a fixed rule; takes milliseconds
  best_of,  ///< the fixed rule whose order has the lowest peak
  search    ///< a search; may take long, computed only on request
};

/// The result of a search.
struct SearchedOrder {
  std::vector<NodeId> nodes;
  std::int64_t bound_bytes = 0;  ///< lower bound on the peak of any order
  std::string_view method;       ///< the method that found the order, as one clause
};

/// A named way to order the nodes of a step.
struct OrderStrategy {
  std::string_view name;         ///< the value of --order
  std::string_view description;  ///< one clause for lists and tooltips
  OrderKind kind = OrderKind::rule;
  /// Returns every node once, producers before readers; clones as late as the order allows.
  std::vector<NodeId> (*order)(const OrderInput&);
  /// Returns the order with a lower bound. Null for a strategy that is not a search.
  SearchedOrder (*search)(const OrderInput&) = nullptr;
};

/// All strategies; the first is the default.
std::span<const OrderStrategy> order_strategies();

/// Throws a usage Error with the list of names if no strategy is called `name`.
const OrderStrategy& find_order(std::string_view name);

}  // namespace stashscope
