#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// Lines nodes up after everything they need that has no place yet; depth first, without recursion.
class DependencyOrder {
 public:
  explicit DependencyOrder(const Topology& topology);
  explicit DependencyOrder(Topology&& topology) = delete;

  /// Gives the node, and before it what it needs, the next places. Nothing for an invalid id.
  void add(NodeId root);

  std::vector<NodeId> take() { return std::move(order_); }

 private:
  enum class State : std::uint8_t { untouched, open, done };
  struct Frame {
    NodeId node;
    std::size_t next;
  };

  const Topology& topology_;
  IdVector<NodeId, State> state_;
  std::vector<Frame> stack_;
  std::vector<NodeId> order_;
};

}  // namespace stashscope
