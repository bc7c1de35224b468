#pragma once

#include "core/memory/timeline.h"
#include "core/recompute/apply.h"

namespace stashscope {

/// The effect of the current plans on the outputs that a node stashes in the step without plans.
enum class StashState : std::uint8_t {
  none,       ///< the node stashes nothing
  freed,      ///< the outputs are recomputed, or evicted and restored
  plannable,  ///< stays stashed; a plan could recompute the output
  pinned,     ///< stays stashed; the user pinned the node
  unplanned,  ///< stays stashed; no plan can recompute the output
};
constexpr std::size_t stash_states = 5;

struct NodeStash {
  StashState state = StashState::none;
  std::int64_t bytes = 0;  ///< bytes stashed without plans; shared buffers count once
};

/// The stash of each node of the graph. @param baseline the timeline of the step without plans
/// @param current the current step; values that backward no longer reads count as freed
/// @param pinned nodes pinned by the user
IdVector<NodeId, NodeStash> node_stashes(const Opportunities& opportunities,
                                         const Timeline& baseline, const Dataflow& current,
                                         const PinnedNodes& pinned);

}  // namespace stashscope
