#pragma once

#include <algorithm>
#include <vector>

#include "core/layout/scene/grouping.h"

namespace stashscope::layout {

/// Positions of nodes and groups in the model file's order, expressed as node ids.
class SourceOrder {
 public:
  SourceOrder(const Graph& graph, const IdVector<NodeId, Side>& side)
      : graph_(graph), side_(side) {}
  SourceOrder(const Graph& graph, IdVector<NodeId, Side>&& side) = delete;

  /// The position of a node. A node whose inputs have no producer (a constant, a shape) takes the
  /// position of its first reader.
  NodeId of_node(NodeId node) const {
    const Topology& topology = graph_.topology();
    for (const ValueId input : topology.inputs[node]) {
      if (input.valid() && topology.producer[input].valid()) return node;
    }
    NodeId first;
    for (const ValueId output : topology.outputs[node]) {
      for (const NodeId reader : topology.readers[output]) first = std::min(first, reader);
    }
    return first.valid() ? first : node;
  }

  /// The position of a group: the median of its forward nodes, or of all nodes if none is forward;
  /// invalid without nodes.
  NodeId of_group(std::vector<NodeId> nodes) const {
    const auto backward = std::partition(nodes.begin(), nodes.end(),
                                         [&](NodeId node) { return side_[node] == Side::forward; });
    if (backward != nodes.begin()) nodes.erase(backward, nodes.end());
    if (nodes.empty()) return {};
    const auto middle = nodes.begin() + std::ssize(nodes) / 2;
    std::nth_element(nodes.begin(), middle, nodes.end());
    return *middle;
  }

 private:
  const Graph& graph_;
  const IdVector<NodeId, Side>& side_;
};

}  // namespace stashscope::layout
