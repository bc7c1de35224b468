#include "core/graph/reference_order.h"

#include <algorithm>
#include <array>

#include "core/base/id_set.h"
#include "core/graph/ready_tracker.h"
#include "core/graph/traversal.h"

namespace stashscope {

bool runs_first(const Node& node) { return node.op_type == "Shape" || node.op_type == "Size"; }

std::vector<NodeId> reference_order(const Graph& graph, const Dataflow& dataflow,
                                    const std::vector<NodeId>& forward_ends) {
  const Topology& topology = dataflow.topology;
  const IdVector<NodeId, bool> forward = ancestors(topology, forward_ends);
  // Rank of a ready node; the node with the smallest rank runs first.
  const auto rank = [&](NodeId node) -> std::size_t {
    if (dataflow.runs_origin(node) && runs_first(graph.node(dataflow.origin(node)))) return 0;
    return dataflow.is_clone(node) ? 3 : forward[node] ? 1 : 2;
  };
  const IdSet<NodeId> none(topology.nodes());
  std::array<IdSet<NodeId>, 4> ready = {none, none, none, none};
  const auto enqueue = [&](NodeId node) { ready[rank(node)].insert(node); };
  ReadyTracker tracker(topology);
  tracker.for_each_source(enqueue);
  std::vector<NodeId> order;
  order.reserve(topology.nodes());
  for (;;) {
    const auto first = std::ranges::find_if(ready, [](const auto& each) { return !each.empty(); });
    if (first == ready.end()) break;
    const NodeId node = first->take_lowest();
    order.push_back(node);
    tracker.finish(node, enqueue);
  }
  return order;
}

}  // namespace stashscope
