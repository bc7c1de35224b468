#pragma once

#include <span>
#include <vector>

#include "core/memory/copy_schedule.h"
#include "core/memory/fusion.h"
#include "core/planner/cost_model.h"

namespace stashscope {

/// A step whose copies between device and host run beside its nodes.
struct OverlappedOrder {
  std::vector<NodeId> order;  ///< that of the step without overlap, with some fetches earlier
  CopySchedule copies;
};

/// Lets the copies of a step run while its nodes run. The offloads keep their places in the order,
/// and their tensors stay in memory until the copies end. If memory allows, a fetch starts early
/// enough that no node waits for it, but no earlier. The peak does not exceed that of the step
/// without overlap. If a slot has no room below this peak for a tensor that is still being copied,
/// nodes wait for the copy. If a slot has no room for a tensor that is fetched early, the fetch
/// starts later. The step never takes more time than without overlap.
/// @param timeline the step without overlap
/// @param groups the fused groups of the timeline
/// @param seconds by node of the dataflow; for copies the seconds on the link
OverlappedOrder overlap_copies(const Dataflow& dataflow, const Timeline& timeline,
                               const FusedGroups& groups, const NodeTimes& seconds);

/// The seconds of each slot of a step. Copies run while nodes run, on two links, one in each
/// direction. Nodes run one after the other; the time for which a node waits for copies counts for
/// its slot. The sum is the time of the step.
/// @param seconds by node of the dataflow; for copies the seconds on the link
std::vector<double> overlapped_slot_seconds(const Dataflow& dataflow, std::span<const NodeId> order,
                                            const CopySchedule& copies, const NodeTimes& seconds);

/// Seconds for which the nodes of a step wait for overlapping copies; exactly 0 if no node waits.
/// @param seconds by node of the dataflow; for copies the seconds on the link
double waiting_seconds(const Dataflow& dataflow, std::span<const NodeId> order,
                       const CopySchedule& copies, const NodeTimes& seconds);

}  // namespace stashscope
