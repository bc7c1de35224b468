#include "core/schedule/shared_buffers.h"

#include <algorithm>

#include "core/graph/traversal.h"

namespace stashscope {

namespace {

/// The value that each value's buffer is allocated for; invalid for what is there throughout.
IdVector<ValueId, ValueId> buffer_roots(const Dataflow& dataflow, const StepMemory& memory) {
  const Topology& topology = dataflow.topology;
  IdVector<ValueId, ValueId> root(topology.values());
  for (const NodeId node : topological_order(topology)) {
    const auto outputs = topology.outputs[node];
    for (const ValueId output : outputs) root[output] = output;
    for (const BufferShare& share : memory.aliases(dataflow, node)) {
      root[outputs[share.output]] = root[topology.inputs[node][share.input]];
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
  std::vector<std::vector<NodeId>> reading(topology.values());
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
      reading[buffer.index()].push_back(node);
    }
  }
  for (const auto& nodes : reading) {
    readers.start_row();
    for (const NodeId node : nodes) readers.push(node);
  }
}

}  // namespace stashscope
