#include "core/layout/scene/lifetimes.h"

namespace stashscope::layout {

IdVector<NodeId, bool> nodes_alive_at(const Dataflow& dataflow, const Timeline& timeline,
                                      std::size_t slot) {
  const Topology& topology = dataflow.topology;
  IdVector<NodeId, bool> alive(topology.nodes(), false);
  for (const NodeId node : IdRange<NodeId>(topology.nodes())) {
    for (const ValueId output : topology.outputs[node]) {
      const BufferId id = output.valid() ? timeline.buffer_of[output] : BufferId();
      if (!id.valid()) continue;
      const Buffer& buffer = timeline.buffers[id];
      if (is_alive(buffer, slot)) alive[node] = true;
    }
  }
  if (slot < timeline.order.size()) alive[timeline.order[slot]] = true;
  return alive;
}

}  // namespace stashscope::layout
