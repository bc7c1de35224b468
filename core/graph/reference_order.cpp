#include "core/graph/reference_order.h"

#include <algorithm>
#include <array>
#include <utility>

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

namespace {

/// The producers of a node's inputs, each once, sorted by depth and then by id.
std::vector<NodeId> producers_of(const Topology& topology, NodeId node,
                                 const IdVector<NodeId, std::uint32_t>& depths) {
  std::vector<NodeId> producers;
  for (const ValueId input : topology.inputs[node]) {
    const NodeId producer = input.valid() ? topology.producer[input] : NodeId();
    if (producer.valid()) producers.push_back(producer);
  }
  std::ranges::sort(producers, {}, [&](NodeId each) { return std::pair(depths[each], each); });
  producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
  return producers;
}

std::vector<NodeId> nodes_without_readers(const Topology& topology) {
  std::vector<NodeId> ends;
  for (const NodeId node : IdRange<NodeId>(topology.nodes())) {
    const auto outputs = topology.outputs[node];
    const bool is_read = std::ranges::any_of(
        outputs, [&](ValueId output) { return !topology.readers[output].empty(); });
    if (!is_read) ends.push_back(node);
  }
  return ends;
}

}  // namespace

std::vector<NodeId> depth_first_order(const Topology& topology) {
  const auto depths = depths_of(topology, topological_order(topology));
  struct Visit {
    NodeId node;
    bool is_return;  ///< all producers have been visited
  };
  std::vector<NodeId> ends = nodes_without_readers(topology);
  std::vector<Visit> stack;
  stack.reserve(ends.size());
  std::ranges::sort(ends, {}, [&](NodeId each) { return std::pair(depths[each], each); });
  for (const NodeId node : ends) stack.push_back({node, false});
  IdVector<NodeId, bool> is_visited(topology.nodes(), false);
  std::vector<NodeId> order;
  order.reserve(topology.nodes());
  while (!stack.empty()) {
    const Visit visit = stack.back();
    stack.pop_back();
    if (visit.is_return) order.push_back(visit.node);
    if (visit.is_return || is_visited[visit.node]) continue;
    is_visited[visit.node] = true;
    stack.push_back({visit.node, true});
    for (const NodeId producer : producers_of(topology, visit.node, depths)) {
      if (!is_visited[producer]) stack.push_back({producer, false});
    }
  }
  return order;
}

}  // namespace stashscope
