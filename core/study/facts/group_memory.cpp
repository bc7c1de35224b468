#include "core/study/facts/group_memory.h"

#include <algorithm>

#include "core/recompute/forward_nodes.h"

namespace stashscope {

namespace {

std::vector<GroupTensor> tensors_of(const Variant& variant, const std::vector<NodeId>& nodes) {
  const Timeline& timeline = variant.timeline;
  std::vector<GroupTensor> tensors;
  for (const BufferId id : IdRange<BufferId>(timeline.buffers.size())) {
    const Buffer& buffer = timeline.buffers[id];
    const NodeId maker = variant.dataflow.topology.producer[buffer.root];
    if (buffer.persistent || !maker.valid() || !std::ranges::binary_search(nodes, maker)) continue;
    const bool is_at_peak =
        buffer.first_slot <= timeline.peak_slot && timeline.peak_slot <= buffer.last_slot;
    tensors.push_back({id, maker, buffer.bytes, is_at_peak});
  }
  std::ranges::stable_sort(tensors, [&](const GroupTensor& a, const GroupTensor& b) {
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return timeline.buffers[a.buffer].first_slot < timeline.buffers[b.buffer].first_slot;
  });
  return tensors;
}

}  // namespace

GroupMemory group_memory(const Study& study, const std::vector<NodeId>& nodes, std::size_t limit) {
  const Variant& variant = *study.current;
  const auto is_forward = forward_nodes(study.graph(), variant.dataflow, *study.opportunities);
  const auto memory = node_memory(variant.dataflow, variant.timeline,
                                  stashed_values(variant.dataflow, is_forward, variant.timeline));
  GroupMemory group{{}, tensors_of(variant, nodes)};
  for (const NodeId node : nodes) group.sum = group.sum + memory[node];
  if (group.largest.size() > limit) group.largest.resize(limit);
  return group;
}

}  // namespace stashscope
