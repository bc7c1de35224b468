#include "core/recompute/node_stash.h"

namespace stashscope {

namespace {

bool runs_in_backward(const Opportunities& opportunities, const Dataflow& dataflow, NodeId node) {
  if (dataflow.is_clone(node)) return !evicts(dataflow.kind(node));
  return !opportunities.is_forward(node);
}

bool is_read_in_backward(const Opportunities& opportunities, const Dataflow& dataflow,
                         ValueId value) {
  const auto readers = dataflow.topology.readers[value];
  return std::any_of(readers.begin(), readers.end(), [&](NodeId reader) {
    return runs_in_backward(opportunities, dataflow, reader);
  });
}

/// The entry nodes of plans that run nodes again. Plans that evict are left out, because almost
/// every tensor can be evicted.
IdVector<NodeId, bool> with_plans(const Opportunities& opportunities, std::size_t nodes) {
  IdVector<NodeId, bool> has_plan(nodes, false);
  for (const NodePlan& plan : opportunities.plans) has_plan[plan.node] = true;
  return has_plan;
}

}  // namespace

IdVector<NodeId, NodeStash> node_stashes(const Opportunities& opportunities,
                                         const Timeline& baseline, const Dataflow& current,
                                         const PinnedNodes& pinned) {
  IdVector<NodeId, NodeStash> stashes(current.graph_nodes);
  const IdVector<NodeId, bool> has_plan = with_plans(opportunities, current.graph_nodes);
  IdVector<BufferId, bool> counted(baseline.buffers.size(), false);
  for (const ValueId value : opportunities.stashed) {
    const NodeId producer = current.topology.producer[value];
    NodeStash& stash = stashes[producer];
    if (is_read_in_backward(opportunities, current, value)) {
      stash.state = is_pinned(pinned, producer) ? StashState::pinned
                    : has_plan[producer]        ? StashState::plannable
                                                : StashState::unplanned;
    } else if (stash.state == StashState::none) {
      stash.state = StashState::freed;
    }
    const BufferId buffer = baseline.buffer_of[value];
    if (!buffer.valid() || counted[buffer]) continue;
    counted[buffer] = true;
    if (!baseline.buffers[buffer].persistent) stash.bytes += baseline.buffers[buffer].bytes;
  }
  return stashes;
}

}  // namespace stashscope
