#include "core/schedule/orders/clone_placement.h"

#include <algorithm>
#include <map>

#include "core/graph/dependency_order.h"
#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/views.h"

namespace stashscope {

namespace {

/// Places each eviction after the last node of the graph that reads the evicted tensor or a view of
/// it.
class EvictionPlacer {
 public:
  EvictionPlacer(const Graph& graph, const Dataflow& dataflow, std::vector<NodeId> order)
      : graph_(graph), dataflow_(dataflow), order_(std::move(order)) {}

  std::vector<NodeId> place() {
    const bool any =
        std::any_of(order_.begin(), order_.end(), [&](NodeId node) { return is_eviction(node); });
    if (!any) return std::move(order_);
    IdVector<NodeId, std::size_t> position(dataflow_.topology.nodes(), 0);
    for (std::size_t i = 0; i < order_.size(); ++i) position[order_[i]] = i;
    std::multimap<std::size_t, NodeId> behind;
    for (const NodeId node : order_) {
      if (is_eviction(node)) behind.emplace(last_use(node, position), node);
    }
    std::vector<NodeId> placed;
    placed.reserve(order_.size());
    auto next = behind.begin();
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (!is_eviction(order_[i])) placed.push_back(order_[i]);
      for (; next != behind.end() && next->first == i; ++next) placed.push_back(next->second);
    }
    return placed;
  }

 private:
  bool is_eviction(NodeId node) const {
    return dataflow_.is_clone(node) && evicts(dataflow_.kind(node));
  }

  std::size_t last_use(NodeId node, const IdVector<NodeId, std::size_t>& position) const {
    const ValueId tensor = dataflow_.topology.inputs[node][0];
    std::size_t last = position[dataflow_.topology.producer[tensor]];
    std::vector<ValueId> members = {tensor};
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const NodeId reader : dataflow_.topology.readers[members[i]]) {
        if (dataflow_.is_clone(reader)) continue;
        last = std::max(last, position[reader]);
        const Node& reading = graph_.node(reader);
        const auto views = views_of(graph_, reading, standard_ops().find(reading), members[i]);
        members.insert(members.end(), views.begin(), views.end());
      }
    }
    // Some orders run forward nodes late, but the eviction must come before the tensor is restored.
    const NodeId back = dataflow_.topology.readers[dataflow_.topology.outputs[node][0]][0];
    return std::min(last, position[back] - 1);
  }

  const Graph& graph_;
  const Dataflow& dataflow_;
  std::vector<NodeId> order_;
};

}  // namespace

std::vector<NodeId> place_evictions(const Graph& graph, const Dataflow& dataflow,
                                    std::vector<NodeId> order) {
  return EvictionPlacer(graph, dataflow, std::move(order)).place();
}

std::vector<NodeId> place_clones_late(const Dataflow& dataflow, std::vector<NodeId> order) {
  if (dataflow.cloned_nodes.empty()) return order;
  DependencyOrder placed(dataflow.topology);
  for (const NodeId node : order) {
    if (!dataflow.is_clone(node)) placed.add(node);
  }
  for (const NodeId node : order) placed.add(node);
  return placed.take();
}

}  // namespace stashscope
