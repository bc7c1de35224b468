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
  return study.times->measured == 0 ? study.times->seconds : profile_times(study, *study.sizes);
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

}  // namespace stashscope
