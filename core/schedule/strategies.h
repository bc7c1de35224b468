#pragma once

#include "core/schedule/orders.h"

namespace stashscope {

/// The nodes as the model's file lists them; a clone runs when the first node that needs it is
/// reached.
std::vector<NodeId> file_order(const Topology& topology);

/// From each output of the graph in turn, everything it needs first.
std::vector<NodeId> depth_first_order(const OrderInput& input);

/// The reversal of a depth-first walk along readers, the nodes in the order in which the walk
/// leaves them (reverse postorder).
std::vector<NodeId> reverse_depth_first_order(const OrderInput& input);

/// Whatever became ready first runs first; clones wait until nothing else is ready.
std::vector<NodeId> breadth_first_order(const OrderInput& input);

/// Kahn's algorithm with the reference's priorities: a ready Shape or Size first, then ordinary
/// nodes before clones, then what the YieldOp (or the loss, without one) needs, then the lowest id.
/// @param forward_ends the nodes that forward leads to
std::vector<NodeId> reference_order(const Graph& graph, const Dataflow& dataflow,
                                    const std::vector<NodeId>& forward_ends);

/// Whether that order runs the node as soon as it is ready: a Shape or Size.
bool runs_first(const Node& node);

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
