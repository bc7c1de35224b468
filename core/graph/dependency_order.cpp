#include "core/graph/dependency_order.h"

namespace stashscope {

DependencyOrder::DependencyOrder(const Topology& topology)
    : topology_(topology), state_(topology.nodes()) {
  order_.reserve(topology.nodes());
}

void DependencyOrder::add(NodeId root) {
  if (root.valid() && state_[root] == State::untouched) stack_.push_back({root, 0});
  while (!stack_.empty()) {
    auto& [node, next] = stack_.back();
    state_[node] = State::open;
    const auto inputs = topology_.inputs[node];
    NodeId producer;
    while (next < inputs.size() && !producer.valid()) {
      const ValueId input = inputs[next++];
      if (input.valid()) producer = topology_.producer[input];
      if (producer.valid() && state_[producer] != State::untouched) producer = NodeId();
    }
    if (producer.valid()) {
      stack_.push_back({producer, 0});
    } else {
      state_[node] = State::done;
      order_.push_back(node);
      stack_.pop_back();
    }
  }
}

}  // namespace stashscope
