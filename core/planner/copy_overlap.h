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

/// Lets the copies of a step overlap with its nodes. The offloads stay where they are, and their
/// tensors are held until the copies end. A fetch starts as late as possible, but early enough that
/// no node waits for it. The peak stays that of the step without overlap: where it leaves no room
/// for a tensor that is still being copied, nodes wait for the copy, and where it leaves no room
/// for a tensor that is fetched early, the fetch starts later. The step never takes more time than
/// without overlap.
/// @param timeline the step without overlap
/// @param groups the fused groups of the timeline
/// @param seconds by node of the dataflow; for copies the seconds on the link
OverlappedOrder overlap_copies(const Dataflow& dataflow, const Timeline& timeline,
                               const FusedGroups& groups, const NodeTimes& seconds);

/// How long each slot of a step takes whose copies run on two links, one in each direction, beside
/// the nodes. Nodes run one after the other; the time for which a node waits for copies counts for
/// its slot. The sum is the time of the step.
/// @param seconds by node of the dataflow; for copies the seconds on the link
std::vector<double> overlapped_slot_seconds(const Dataflow& dataflow, std::span<const NodeId> order,
                                            const CopySchedule& copies, const NodeTimes& seconds);

/// Seconds for which the nodes of a step wait for its overlapping copies; exactly 0 if none waits.
/// @param seconds by node of the dataflow; for copies the seconds on the link
double waiting_seconds(const Dataflow& dataflow, std::span<const NodeId> order,
                       const CopySchedule& copies, const NodeTimes& seconds);

}  // namespace stashscope
