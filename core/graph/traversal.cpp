#include "core/graph/traversal.h"

#include <algorithm>

#include "core/base/id_set.h"

namespace stashscope {

namespace {

/// For each node, the number of its distinct inputs that have a producer.
IdVector<NodeId, std::uint32_t> pending_inputs(const Topology& topology) {
  IdVector<NodeId, std::uint32_t> pending(topology.nodes(), 0);
  for (const ValueId value : IdRange<ValueId>(topology.values())) {
    if (!topology.producer[value].valid()) continue;
    for (const NodeId reader : topology.readers[value]) ++pending[reader];
  }
  return pending;
}

template <class Neighbours>
IdVector<NodeId, bool> reach(const Topology& topology, const std::vector<NodeId>& roots,
                             Neighbours neighbours) {
  IdVector<NodeId, bool> seen(topology.nodes(), false);
  std::vector<NodeId> stack;
  const auto visit = [&](NodeId node) {
    if (!node.valid() || seen[node]) return;
    seen[node] = true;
    stack.push_back(node);
  };
  for (const NodeId root : roots) visit(root);
  while (!stack.empty()) {
    const NodeId node = stack.back();
    stack.pop_back();
    neighbours(node, visit);
  }
  return seen;
}

}  // namespace

std::vector<NodeId> topological_order(const Topology& topology) {
  IdVector<NodeId, std::uint32_t> pending = pending_inputs(topology);
  IdSet<NodeId> ready(topology.nodes());
  for (const NodeId node : IdRange<NodeId>(topology.nodes())) {
    if (pending[node] == 0) ready.insert(node);
  }
  std::vector<NodeId> order;
  order.reserve(topology.nodes());
  while (!ready.empty()) {
    const NodeId node = ready.take_lowest();
    order.push_back(node);
    for (const ValueId output : topology.outputs[node]) {
      for (const NodeId reader : topology.readers[output]) {
        if (--pending[reader] == 0) ready.insert(reader);
      }
    }
  }
  return order;
}

IdVector<NodeId, std::uint32_t> depths_of(const Topology& topology,
                                          const std::vector<NodeId>& order) {
  IdVector<NodeId, std::uint32_t> depths(topology.nodes(), 0);
  for (const NodeId node : order) {
    for (const ValueId output : topology.outputs[node]) {
      for (const NodeId reader : topology.readers[output]) {
        depths[reader] = std::max(depths[reader], depths[node] + 1);
      }
    }
  }
  return depths;
}

NodeId find_cycle_member(const Topology& topology) {
  IdVector<NodeId, bool> done(topology.nodes(), false);
  for (const NodeId node : topological_order(topology)) done[node] = true;
  // Every unfinished node has an unfinished producer, so a walk from producer to producer meets a
  // node twice.
  IdVector<NodeId, bool> seen(topology.nodes(), false);
  NodeId at;
  for (const NodeId node : IdRange<NodeId>(topology.nodes())) {
    if (!done[node]) {
      at = node;
      break;
    }
  }
  while (!seen[at]) {
    seen[at] = true;
    for (const ValueId input : topology.inputs[at]) {
      const NodeId producer = input.valid() ? topology.producer[input] : NodeId();
      if (producer.valid() && !done[producer]) {
        at = producer;
        break;
      }
    }
  }
  return at;
}

IdVector<NodeId, bool> ancestors(const Topology& topology, const std::vector<NodeId>& roots) {
  return reach(topology, roots, [&](NodeId node, auto visit) {
    for (const ValueId input : topology.inputs[node]) {
      if (input.valid()) visit(topology.producer[input]);
    }
  });
}

IdVector<NodeId, bool> descendants(const Topology& topology, const std::vector<NodeId>& roots) {
  return reach(topology, roots, [&](NodeId node, auto visit) {
    for (const ValueId output : topology.outputs[node]) {
      for (const NodeId reader : topology.readers[output]) visit(reader);
    }
  });
}

}  // namespace stashscope
