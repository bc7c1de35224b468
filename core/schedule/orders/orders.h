#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/graph/boundary.h"
#include "core/graph/dataflow.h"
#include "core/memory/step_memory.h"

namespace stashscope {

/// What an order strategy may look at.
struct OrderInput {
  const Graph& graph;
  const Dataflow& dataflow;
  std::vector<NodeId> forward_ends;  ///< the nodes that forward leads to
  StepMemory memory;
  Progress progress = {};
};

enum class OrderKind : std::uint8_t {
  rule,     ///< nodes are lined up by a rule; takes milliseconds
  best_of,  ///< the order of a rule, whichever has the lowest peak
  search    ///< may take long: computed only when it is asked for
};

/// What a search found.
struct SearchedOrder {
  std::vector<NodeId> nodes;
  std::int64_t bound_bytes = 0;  ///< no order has a lower peak
  std::string_view method;       ///< what found it, one clause
};

/// A named way to bring the nodes of a step into an order.
struct OrderStrategy {
  std::string_view name;         ///< as typed after --order
  std::string_view description;  ///< one clause for lists and tooltips
  OrderKind kind = OrderKind::rule;
  /// Every node once, producers before readers; clones as late as the order allows.
  std::vector<NodeId> (*order)(const OrderInput&);
  /// Of a search: the same with what it proved.
  SearchedOrder (*search)(const OrderInput&) = nullptr;
};

/// All strategies; the first is the default.
std::span<const OrderStrategy> order_strategies();

/// Throws a usage Error that lists the names when there is none called `name`.
const OrderStrategy& find_order(std::string_view name);

}  // namespace stashscope
