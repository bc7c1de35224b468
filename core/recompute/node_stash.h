#pragma once

#include "core/memory/timeline.h"
#include "core/recompute/apply.h"

namespace stashscope {

/// What becomes of what a node keeps for backward without any plan.
enum class StashState : std::uint8_t {
  none,       ///< it keeps nothing
  freed,      ///< recomputed, or put away and brought back
  plannable,  ///< pinned, though a plan could recompute it
  pinned,     ///< pinned because the user wants so
  unplanned,  ///< pinned, and no plan recomputes it
};
constexpr std::size_t stash_states = 5;

struct NodeStash {
  StashState state = StashState::none;
  std::int64_t bytes = 0;  ///< that are pinned without plans; shared buffers count once
};

/// By node of the graph.
/// @param baseline timeline of the step without plans
/// @param current the step as it is now: what nothing in backward reads any more is freed
/// @param pinned nodes that the user pinned
IdVector<NodeId, NodeStash> node_stashes(const Opportunities& opportunities,
                                         const Timeline& baseline, const Dataflow& current,
                                         const PinnedNodes& pinned);

}  // namespace stashscope
