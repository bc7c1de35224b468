#include "core/study/step/overlapped_step.h"

#include <algorithm>

#include "core/planner/copy_overlap.h"
#include "core/schedule/fusion/fusions.h"

namespace stashscope {

bool has_overlap(const Choices& choices, const Dataflow& dataflow) {
  return choices.plans.overlaps_copies && !dataflow.fixed &&
         std::ranges::find(dataflow.kinds, AddedKind::offload) != dataflow.kinds.end();
}

NodeTimes predicted_times(const StudyParts& study) {
  if (study.times->measured == 0) return study.times->seconds;
  return roofline_times(study.graph(), study.prepared->ops, study.sizes->work,
                        profile_in_force(study.choices.times));
}

OverlappedStep overlapped(const OrderInput& step, const Timeline& timeline,
                          const FusedGroups& groups, const TimingBasis& basis) {
  OverlappedOrder found =
      overlap_copies(step.dataflow, timeline, groups, seconds_by_node(basis, step.dataflow));
  const StepMemory& memory = step.memory;
  const OrderInput input{
      step.graph,
      step.dataflow,
      step.forward_ends,
      {memory.rules, memory.bytes, memory.update, memory.workspace, memory.fused, &found.copies},
      step.progress};
  Timeline placed = timeline_in(input, std::move(found.order), groups);
  return {std::move(placed), std::move(found.copies)};
}

double waiting_seconds(const Dataflow& dataflow, std::span<const NodeId> order,
                       const CopySchedule& copies, const NodeTimes& seconds) {
  const std::vector<double> slots = overlapped_slot_seconds(dataflow, order, copies, seconds);
  double waiting = 0;
  for (std::size_t slot = 0; slot < order.size(); ++slot) {
    waiting += slots[slot] - (is_copy(dataflow, order[slot]) ? 0 : seconds[order[slot]]);
  }
  return waiting;
}

double overlapped_extra_seconds(const TimingBasis& basis, const Dataflow& dataflow,
                                std::span<const NodeId> order, const CopySchedule& copies) {
  const NodeTimes seconds = seconds_by_node(basis, dataflow);
  double added = 0;
  for (std::size_t i = dataflow.graph_nodes; i < seconds.size(); ++i) {
    if (!is_copy(dataflow, NodeId(i))) added += seconds[NodeId(i)];
  }
  return added + waiting_seconds(dataflow, order, copies, seconds);
}

}  // namespace stashscope
