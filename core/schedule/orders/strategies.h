#pragma once

#include "core/graph/file_order.h"
#include "core/graph/reference_order.h"
#include "core/schedule/orders/orders.h"

namespace stashscope {

/// From each output of the graph in turn, everything it needs first.
std::vector<NodeId> depth_first_order(const OrderInput& input);

/// The reversal of a depth-first walk along readers, the nodes in the order in which the walk
/// leaves them (reverse postorder).
std::vector<NodeId> reverse_depth_first_order(const OrderInput& input);

/// Whatever became ready first runs first; clones wait until nothing else is ready.
std::vector<NodeId> breadth_first_order(const OrderInput& input);

/// From the end to the beginning: of the nodes whose readers all have their places, the one that
/// allocates most runs last. What a node allocates is its outputs less the inputs that die there,
/// those that nothing behind it reads.
std::vector<NodeId> largest_first_order(const OrderInput& input);

/// List scheduling: of the nodes that are ready, the one that frees most beyond what it allocates
/// runs first; clones wait until nothing else is ready.
std::vector<NodeId> bytes_freed_order(const OrderInput& input);

/// The order of the rule with the lowest peak; the first of the rules wins ties.
std::vector<NodeId> best_order(const OrderInput& input);

/// The order of the lowest peak that `minimal_order` finds from any of the rules. The search ends
/// after a number of moves, so that its answer is the same on every machine.
SearchedOrder searched_order(const OrderInput& input);

}  // namespace stashscope
