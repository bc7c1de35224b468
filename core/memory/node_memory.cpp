#include "core/memory/node_memory.h"

namespace stashscope {

IdVector<NodeId, NodeMemory> node_memory(const Dataflow& dataflow, const Timeline& timeline,
                                         const std::vector<StashedValue>& stashed) {
  IdVector<NodeId, NodeMemory> memory(dataflow.topology.nodes());
  for (const Buffer& buffer : timeline.buffers) {
    const NodeId maker = dataflow.topology.producer[buffer.root];
    if (buffer.persistent || !maker.valid()) continue;
    const double slots = buffer.last_slot - buffer.first_slot + 1;
    memory[maker].bytes += buffer.bytes;
    if (is_alive(buffer, timeline.peak_slot)) memory[maker].peak_bytes += buffer.bytes;
    memory[maker].byte_slots += static_cast<double>(buffer.bytes) * slots;
  }
  for (const StashedValue& stash : stashed) {
    const Buffer& buffer = timeline.buffers[timeline.buffer_of[stash.value]];
    const NodeId maker = dataflow.topology.producer[buffer.root];
    if (maker.valid()) memory[maker].stashed_bytes += stash.bytes;
  }
  return memory;
}

std::vector<StashedValue> stashed_values(const Dataflow& dataflow,
                                         const IdVector<NodeId, bool>& is_forward,
                                         const Timeline& timeline) {
  std::vector<StashedValue> stashes;
  IdVector<BufferId, bool> counted(timeline.buffers.size(), false);
  for (const ValueId value : IdRange<ValueId>(dataflow.topology.values())) {
    const NodeId producer = dataflow.topology.producer[value];
    const BufferId buffer = timeline.buffer_of[value];
    if (!producer.valid() || !buffer.valid() || !is_forward[producer]) continue;
    StashedValue stash{value, producer, {}, 0};
    for (const NodeId reader : dataflow.topology.readers[value]) {
      if (!is_forward[reader]) stash.readers.push_back(reader);
    }
    if (stash.readers.empty()) continue;
    if (!counted[buffer] && !timeline.buffers[buffer].persistent) {
      stash.bytes = timeline.buffers[buffer].bytes;
    }
    counted[buffer] = true;
    stashes.push_back(std::move(stash));
  }
  return stashes;
}

}  // namespace stashscope
