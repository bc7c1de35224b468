#include "core/schedule/orders/shared_buffers.h"

#include <algorithm>
#include <utility>

namespace stashscope {

namespace {

/// The value that each value's buffer is allocated for; invalid for persistent buffers.
IdVector<ValueId, ValueId> buffer_roots(const Dataflow& dataflow, const StepMemory& memory) {
  const Topology& topology = dataflow.topology;
  IdVector<ValueId, ValueId> root(topology.values());
  // At first, `root` holds the value that each value shares a buffer with.
  for (const NodeId node : IdRange<NodeId>(topology.nodes())) {
    const auto outputs = topology.outputs[node];
    for (const ValueId output : outputs) root[output] = output;
    for (const BufferShare& share : memory.aliases(dataflow, node)) {
      root[outputs[share.output]] = topology.inputs[node][share.input];
    }
  }
  for (const ValueId value : IdRange<ValueId>(root.size())) {
    ValueId end = value;
    while (root[end].valid() && root[end] != end) end = root[end];
    const ValueId found = root[end];
    for (ValueId at = value; root[at].valid() && root[at] != at;) {
      at = std::exchange(root[at], found);
    }
  }
  return root;
}

}  // namespace

SharedBuffers::SharedBuffers(const Dataflow& dataflow, const StepMemory& memory)
    : bytes(dataflow.topology.values(), 0), is_kept(dataflow.topology.values(), false) {
  const Topology& topology = dataflow.topology;
  const IdVector<ValueId, ValueId> root = buffer_roots(dataflow, memory);
  for (const ValueId value : IdRange<ValueId>(dataflow.graph_values)) {
    if (root[value].valid() && memory.rules.is_output[value]) is_kept[root[value]] = true;
  }
  for (const ValueId value : memory.update.released) {
    if (root[value].valid()) is_kept[root[value]] = false;
  }
  made.reserve(topology.nodes(), topology.values());
  read.reserve(topology.nodes(), 2 * topology.nodes());
  std::vector<std::uint32_t> reader_counts(topology.values(), 0);
  std::vector<ValueId> row;
  for (const NodeId node : IdRange<NodeId>(topology.nodes())) {
    made.start_row();
    for (const ValueId output : topology.outputs[node]) {
      if (root[output] != output) continue;
      made.push(output);
      bytes[output] = stored_bytes(dataflow, memory.bytes, output);
    }
    row.clear();
    for (const ValueId input : topology.inputs[node]) {
      if (input.valid() && root[input].valid()) row.push_back(root[input]);
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    read.start_row();
    for (const ValueId buffer : row) {
      read.push(buffer);
      ++reader_counts[buffer.index()];
    }
  }
  readers = IdRows<ValueId, NodeId>(reader_counts);
  IdVector<ValueId, std::uint32_t> filled(topology.values(), 0);
  for (const NodeId node : IdRange<NodeId>(topology.nodes())) {
    for (const ValueId buffer : read[node]) readers.row(buffer)[filled[buffer]++] = node;
  }
}

}  // namespace stashscope
