#include "core/memory/step_memory.h"

namespace stashscope {

std::span<const BufferShare> StepMemory::aliases(const Dataflow& dataflow, NodeId node) const {
  const bool is_leader = fused != nullptr && fused->is_leader[node];
  if (is_leader || !dataflow.runs_origin(node)) return {};
  // Only the leader of a fused group makes values.
  if (dataflow.topology.outputs[node].empty()) return {};
  return rules.aliases[dataflow.origin(node)];
}

std::span<const BufferShare> StepMemory::in_place(const Dataflow& dataflow, NodeId node) const {
  if (fused != nullptr && fused->is_leader[node]) return fused->in_place[node];
  if (!dataflow.runs_origin(node) || dataflow.topology.outputs[node].empty()) return {};
  return rules.in_place[dataflow.origin(node)];
}

}  // namespace stashscope
