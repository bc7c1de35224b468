#pragma once

#include <cstddef>
#include <vector>

#include "core/graph/captured_step.h"
#include "core/recompute/regions.h"

namespace stashscope {

/// A call of a region in a step in which calls of other regions run again, too.
struct RegionRun {
  const RegionCall* call = nullptr;
  /// The node before which the second run starts; invalid: no second run. Earlier than
  /// `call->trigger` if an earlier second run needs an output of this run.
  NodeId trigger;
  /// Arguments that the first run does not hold, because the second run of another call makes them
  /// again.
  std::vector<StorageId> asked = {};
  /// Length of the longest chain of runs that start at the same node, in which the first run needs
  /// an output of this run, and each further run needs an output of the run before it.
  std::size_t needed_by = 0;
};

/// The calls of the plans' regions, in the order in which their second runs start. Calls without a
/// second run are the last. Refers to the plans.
/// @pre the regions do not overlap
std::vector<RegionRun> region_runs(const CapturedStep& step,
                                   const std::vector<const NodePlan*>& plans);

}  // namespace stashscope
