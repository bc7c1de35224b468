#include <functional>
#include <queue>

#include "core/graph/traversal.h"
#include "core/schedule/ready_tracker.h"
#include "core/schedule/strategies.h"

namespace stashscope {

bool runs_first(const Node& node) { return node.op_type == "Shape" || node.op_type == "Size"; }

std::vector<NodeId> reference_order(const Graph& graph, const Dataflow& dataflow,
                                    const std::vector<NodeId>& forward_ends) {
  const Topology& topology = dataflow.topology;
  const IdVector<NodeId, bool> forward = ancestors(topology, forward_ends);
  // Smaller runs first; the id breaks ties.
  const auto priority = [&](NodeId node) {
    const Node& original = graph.node(dataflow.origin(node));
    const bool first = dataflow.runs_origin(node) && runs_first(original);
    const int rank = first ? 0 : dataflow.is_clone(node) ? 3 : forward[node] ? 1 : 2;
    return std::pair(rank, node);
  };
  using Entry = std::pair<int, NodeId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  ReadyTracker tracker(topology);
  tracker.for_each_source([&](NodeId node) { ready.push(priority(node)); });
  std::vector<NodeId> order;
  order.reserve(topology.nodes());
  while (!ready.empty()) {
    const NodeId node = ready.top().second;
    ready.pop();
    order.push_back(node);
    tracker.finish(node, [&](NodeId next) { ready.push(priority(next)); });
  }
  return order;
}

}  // namespace stashscope
