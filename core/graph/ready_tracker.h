#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Counts the pending inputs of each node and reports the nodes that become ready.
class ReadyTracker {
 public:
  explicit ReadyTracker(const Topology& topology)
      : topology_(topology), pending_(topology.nodes(), 0) {
    for (const ValueId value : IdRange<ValueId>(topology.values())) {
      if (!topology.producer[value].valid()) continue;
      for (const NodeId reader : topology.readers[value]) ++pending_[reader];
    }
  }
  explicit ReadyTracker(Topology&& topology) = delete;

  template <class Visit>
  void for_each_source(Visit visit) const {
    for (const NodeId node : IdRange<NodeId>(topology_.nodes())) {
      if (pending_[node] == 0) visit(node);
    }
  }

  template <class Visit>
  void finish(NodeId node, Visit became_ready) {
    for (const ValueId output : topology_.outputs[node]) {
      for (const NodeId reader : topology_.readers[output]) {
        if (--pending_[reader] == 0) became_ready(reader);
      }
    }
  }

 private:
  const Topology& topology_;
  IdVector<NodeId, std::uint32_t> pending_;
};

}  // namespace stashscope
