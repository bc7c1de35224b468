#pragma once

#include "core/schedule/orders/orders.h"
#include "core/study/step/plan_effects.h"

namespace stashscope {

/// Whether the choices let copies overlap, and the dataflow copies a tensor to the host. False for
/// a captured step with plans.
bool has_overlap(const Choices& choices, const Dataflow& dataflow);

/// The times on which the places of overlapping copies depend: those that the profile predicts,
/// even if times were measured, so that a step has the same order on every machine.
NodeTimes predicted_times(const StudyParts& study);

/// A step whose copies overlap.
struct OverlappedStep {
  Timeline timeline;
  CopySchedule copies;
};

/// Lets the copies of a step overlap with its nodes (copy_overlap.h).
/// @param timeline the step without overlap, with the fused groups `groups`
/// @param basis its seconds are `predicted_times`
OverlappedStep overlapped(const OrderInput& step, const Timeline& timeline,
                          const FusedGroups& groups, const TimingBasis& basis);

}  // namespace stashscope
