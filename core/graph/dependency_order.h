#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// Builds an order of nodes in which each node comes after its dependencies. Searches depth first,
/// without recursion.
class DependencyOrder {
 public:
  explicit DependencyOrder(const Topology& topology);
  explicit DependencyOrder(Topology&& topology) = delete;

  /// Appends the dependencies of `root` that are not in the order yet, then `root`. Ignores an
  /// invalid id.
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
