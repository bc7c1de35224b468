#pragma once

#include "core/graph/file_order.h"
#include "core/graph/reference_order.h"
#include "core/schedule/orders/orders.h"

namespace stashscope {

/// Depth first from the first to the last graph output; the inputs of a node precede the node.
std::vector<NodeId> depth_first_order(const OrderInput& input);

/// Reverse postorder of a depth-first walk along readers.
std::vector<NodeId> reverse_depth_first_order(const OrderInput& input);

/// The node that became ready first runs first; clones wait until no other node is ready.
std::vector<NodeId> breadth_first_order(const OrderInput& input);

/// From the last position to the first: among the nodes whose readers are all placed, the node that
/// allocates the most comes last. The bytes that a node allocates are its outputs minus the inputs
/// that no later node reads.
std::vector<NodeId> largest_first_order(const OrderInput& input);

/// List scheduling: the ready node with the largest bytes freed minus bytes allocated runs first;
/// clones wait until no other node is ready.
std::vector<NodeId> bytes_freed_order(const OrderInput& input);

/// The order of the rule with the lowest peak; on ties, the first such rule.
std::vector<NodeId> best_order(const OrderInput& input);

/// The order with the lowest peak that `minimal_order` finds, starting from the order of each rule.
/// The search is limited in moves, not in time, so that its result is the same on every machine.
SearchedOrder searched_order(const OrderInput& input);

}  // namespace stashscope
