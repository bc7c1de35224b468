// Orders that follow the edges of the graph, forwards or backwards.

#include <algorithm>

#include "core/graph/dependency_order.h"
#include "core/schedule/orders/strategies.h"

namespace stashscope {

std::vector<NodeId> depth_first_order(const OrderInput& input) {
  const Topology& topology = input.dataflow.topology;
  DependencyOrder order(topology);
  for (const ValueId output : input.graph.data().outputs) {
    order.add(topology.producer[output]);
  }
  for (const NodeId node : IdRange<NodeId>(topology.nodes())) order.add(node);
  return order.take();
}

namespace {

IdRows<NodeId, NodeId> followers(const Topology& topology) {
  IdRows<NodeId, NodeId> rows;
  for (const NodeId node : IdRange<NodeId>(topology.nodes())) {
    rows.start_row();
    for (const ValueId output : topology.outputs[node]) {
      for (const NodeId reader : topology.readers[output]) rows.push(reader);
    }
  }
  return rows;
}

/// Postorder walk along readers. Visits the later readers of a node first, so that the reversed
/// walk follows file order.
class ReaderWalk {
 public:
  explicit ReaderWalk(const Topology& topology)
      : followers_(stashscope::followers(topology)), is_entered_(topology.nodes(), false) {
    left_.reserve(topology.nodes());
  }

  void walk(NodeId root) {
    enter(root);
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      if (frame.rest.empty()) {
        left_.push_back(frame.node);
        stack_.pop_back();
      } else {
        const NodeId next = frame.rest.back();
        frame.rest = frame.rest.first(frame.rest.size() - 1);
        enter(next);
      }
    }
  }

  std::vector<NodeId> take_reversed() {
    std::reverse(left_.begin(), left_.end());
    return std::move(left_);
  }

 private:
  struct Frame {
    NodeId node;
    std::span<const NodeId> rest;  ///< readers not visited yet
  };

  void enter(NodeId node) {
    if (is_entered_[node]) return;
    is_entered_[node] = true;
    stack_.push_back({node, followers_[node]});
  }

  IdRows<NodeId, NodeId> followers_;
  IdVector<NodeId, bool> is_entered_;
  std::vector<Frame> stack_;
  std::vector<NodeId> left_;
};

}  // namespace

std::vector<NodeId> reverse_depth_first_order(const OrderInput& input) {
  const Topology& topology = input.dataflow.topology;
  ReaderWalk walk(topology);
  for (std::size_t i = topology.nodes(); i-- > 0;) {
    // Only nodes without producers start a walk. The walk reaches all other nodes from their
    // producers.
    const auto inputs = topology.inputs[NodeId(i)];
    const bool is_source = std::ranges::none_of(
        inputs, [&](ValueId value) { return value.valid() && topology.producer[value].valid(); });
    if (is_source) walk.walk(NodeId(i));
  }
  return walk.take_reversed();
}

}  // namespace stashscope
