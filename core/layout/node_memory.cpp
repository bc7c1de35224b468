#include "core/layout/node_memory.h"

#include "core/layout/outline.h"

namespace stashscope::layout {

namespace {

bool is_forward(const Dataflow& dataflow, const Grouping& grouping, NodeId node) {
  return side_of(dataflow, grouping, node) == Side::forward;
}

bool is_alive(const Buffer& buffer, std::size_t step) {
  return buffer.first_step <= step && step <= buffer.last_step;
}

}  // namespace

IdVector<NodeId, NodeMemory> node_memory(const Dataflow& dataflow, const Grouping& grouping,
                                         const Timeline& timeline) {
  IdVector<NodeId, NodeMemory> memory(dataflow.topology.nodes());
  for (const Buffer& buffer : timeline.buffers) {
    const NodeId maker = dataflow.topology.producer[buffer.root];
    if (buffer.resident || !maker.valid()) continue;
    const double steps = buffer.last_step - buffer.first_step + 1;
    memory[maker].bytes += buffer.bytes;
    if (is_alive(buffer, timeline.peak_step)) memory[maker].peak_bytes += buffer.bytes;
    memory[maker].byte_steps += static_cast<double>(buffer.bytes) * steps;
  }
  for (const Stash& stash : find_stashes(dataflow, grouping, timeline)) {
    const Buffer& buffer = timeline.buffers[timeline.buffer_of[stash.value]];
    const NodeId maker = dataflow.topology.producer[buffer.root];
    if (maker.valid()) memory[maker].stashed_bytes += stash.bytes;
  }
  return memory;
}

std::vector<Stash> find_stashes(const Dataflow& dataflow, const Grouping& grouping,
                                const Timeline& timeline) {
  std::vector<Stash> stashes;
  IdVector<BufferId, bool> counted(timeline.buffers.size(), false);
  for (const ValueId value : IdRange<ValueId>(dataflow.topology.values())) {
    const NodeId producer = dataflow.topology.producer[value];
    const BufferId buffer = timeline.buffer_of[value];
    if (!producer.valid() || !buffer.valid() || !is_forward(dataflow, grouping, producer)) continue;
    Stash stash{value, producer, {}, 0};
    for (const NodeId reader : dataflow.topology.readers[value]) {
      if (!is_forward(dataflow, grouping, reader)) stash.readers.push_back(reader);
    }
    if (stash.readers.empty()) continue;
    if (!counted[buffer] && !timeline.buffers[buffer].resident) {
      stash.bytes = timeline.buffers[buffer].bytes;
    }
    counted[buffer] = true;
    stashes.push_back(std::move(stash));
  }
  return stashes;
}

}  // namespace stashscope::layout
