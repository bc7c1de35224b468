#include "core/study/facts/group_memory.h"

#include <algorithm>

#include "core/recompute/forward_nodes.h"
#include "core/study/facts/tensor_homes.h"

namespace stashscope {

namespace {

std::vector<GroupTensor> tensors_of(const Variant& variant, const std::vector<NodeId>& nodes) {
  const Timeline& timeline = variant.timeline;
  std::vector<GroupTensor> tensors;
  for (const BufferId id : IdRange<BufferId>(timeline.buffers.size())) {
    const Buffer& buffer = timeline.buffers[id];
    const NodeId maker = variant.dataflow.topology.producer[buffer.root];
    if (buffer.persistent || !maker.valid() || !std::ranges::binary_search(nodes, maker)) continue;
    const bool is_at_peak = is_alive(buffer, timeline.peak_slot);
    tensors.push_back({id, maker, buffer.bytes, is_at_peak});
  }
  std::ranges::stable_sort(tensors, [&](const GroupTensor& a, const GroupTensor& b) {
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return timeline.buffers[a.buffer].first_slot < timeline.buffers[b.buffer].first_slot;
  });
  return tensors;
}

bool has(const std::vector<NodeId>& nodes, NodeId node) {
  return node.valid() && std::ranges::binary_search(nodes, node);
}

std::int64_t stashed_elsewhere(const Variant& variant, const std::vector<StashedValue>& stashed,
                               const std::vector<NodeId>& nodes) {
  std::int64_t bytes = 0;
  for (const StashedValue& each : stashed) {
    const BufferId buffer = variant.timeline.buffer_of[each.value];
    if (each.bytes == 0 || !buffer.valid() || !has(nodes, each.producer)) continue;
    const ValueId root = variant.timeline.buffers[buffer].root;
    if (!has(nodes, variant.dataflow.topology.producer[root])) bytes += each.bytes;
  }
  return bytes;
}

/// The node that wrote the data of a value. The data of a view was written by the node that made
/// the viewed value.
NodeId writer_of(const Study& study, const Variant& variant, ValueId value) {
  const Topology& topology = variant.dataflow.topology;
  for (;;) {
    const NodeId node = topology.producer[value];
    if (!node.valid() || !variant.dataflow.runs_origin(node)) return node;
    const auto& outputs = topology.outputs[node];
    const auto& shares = study.prepared->rules.aliases[variant.dataflow.origin(node)];
    const auto shown = std::ranges::find_if(
        shares, [&](const BufferShare& share) { return outputs[share.output] == value; });
    if (shown == shares.end()) return node;
    value = topology.inputs[node][shown->input];
  }
}

void add_stashed_by_others(const Study& study, const Variant& variant,
                           const std::vector<StashedValue>& stashed,
                           const std::vector<NodeId>& nodes, GroupMemory& group) {
  for (const StashedValue& each : stashed) {
    const BufferId buffer = variant.timeline.buffer_of[each.value];
    if (each.bytes == 0 || !buffer.valid()) continue;
    const ValueId root = variant.timeline.buffers[buffer].root;
    if (!has(nodes, variant.dataflow.topology.producer[root])) continue;
    const NodeId writer = writer_of(study, variant, each.value);
    if (has(nodes, writer)) continue;
    group.stashed_by_others += each.bytes;
    group.others.push_back(writer);
  }
  std::ranges::sort(group.others);
  const auto repeated = std::ranges::unique(group.others);
  group.others.erase(repeated.begin(), repeated.end());
}

std::int64_t given_bytes(const Study& study, const Variant& variant,
                         const std::vector<NodeId>& nodes) {
  const IdVector<BufferId, NodeId> home = home_nodes(study, variant);
  std::int64_t bytes = 0;
  for (const BufferId id : IdRange<BufferId>(variant.timeline.buffers.size())) {
    const Buffer& buffer = variant.timeline.buffers[id];
    if (buffer.persistent && has(nodes, home[id])) bytes += buffer.bytes;
  }
  return bytes;
}

}  // namespace

IdVector<NodeId, NodeMemory> memory_of_nodes(const Study& study) {
  const Variant& variant = *study.current;
  const auto is_forward = forward_nodes(study.graph(), variant.dataflow, *study.opportunities);
  return node_memory(variant.dataflow, variant.timeline,
                     stashed_values(variant.dataflow, is_forward, variant.timeline));
}

GroupMemory group_memory(const Study& study, const std::vector<NodeId>& nodes, std::size_t limit) {
  const Variant& variant = *study.current;
  const auto is_forward = forward_nodes(study.graph(), variant.dataflow, *study.opportunities);
  const std::vector<StashedValue> stashed =
      stashed_values(variant.dataflow, is_forward, variant.timeline);
  const auto memory = node_memory(variant.dataflow, variant.timeline, stashed);
  GroupMemory group;
  group.largest = tensors_of(variant, nodes);
  for (const NodeId node : nodes) group.sum = group.sum + memory[node];
  group.stashed_elsewhere = stashed_elsewhere(variant, stashed, nodes);
  add_stashed_by_others(study, variant, stashed, nodes, group);
  group.given_bytes = given_bytes(study, variant, nodes);
  if (group.largest.size() > limit) group.largest.resize(limit);
  return group;
}

}  // namespace stashscope
