#include "core/graph/file_order.h"

#include "core/graph/dependency_order.h"

namespace stashscope {

std::vector<NodeId> file_order(const Topology& topology) {
  DependencyOrder order(topology);
  for (const NodeId node : IdRange<NodeId>(topology.nodes())) order.add(node);
  return order.take();
}

}  // namespace stashscope
