#include "core/graph/boundary.h"

namespace stashscope {

std::vector<NodeId> forward_ends(const Graph& graph, const Boundary& boundary) {
  if (boundary.yield.valid()) return {boundary.yield};
  std::vector<NodeId> ends;
  for (const ValueId output : boundary.outputs) ends.push_back(graph.value(output).producer);
  return ends;
}

}  // namespace stashscope
