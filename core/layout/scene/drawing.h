#pragma once

#include "core/layout/scene/outline.h"
#include "core/memory/node_memory.h"
#include "core/recompute/node_stash.h"

namespace stashscope::layout {

/// The parts of a study that a picture shows.
struct StepView {
  const Graph& graph;
  const Dataflow& dataflow;
  const Timeline& timeline;
  const Grouping& grouping;
  NodeId yield;                         ///< where forward turns into backward; invalid: nowhere
  IdVector<NodeId, double> seconds;     ///< by node of the dataflow
  IdVector<NodeId, NodeMemory> memory;  ///< by node of the dataflow
  std::vector<StashedValue> stashed;    ///< of the current step
  IdVector<NodeId, NodeStash> stashes;  ///< by node of the graph
};

struct DrawnBox {
  Rect rect;
  OutlineBox shows;
  std::string title;
  std::string detail;      ///< second line of closed groups
  std::size_t nodes = 0;   ///< how many it stands for
  std::size_t clones = 0;  ///< of these, recomputations
  NodeMemory memory;       ///< of all of them
  double seconds = 0;      ///< that all of them run
  /// What becomes of what they keep without plans: bytes by StashState, at least 1 for each node.
  std::array<std::int64_t, stash_states> stash{};
  /// Share of the step that its bytes stay in memory; negative where they do not matter.
  double heat = -1;
  std::uint32_t parent = outside;  ///< the open box around it

  bool is_open() const { return shows.inner != no_level; }
};

struct DrawnEdge {
  Curve curve;  ///< never empty
  Rect bounds;
  std::uint32_t from = 0;  ///< box; for edges through a border the open box itself
  std::uint32_t to = 0;
  std::uint32_t tensors = 1;
};

/// Stashed activations between two boxes, as a curve across the picture.
struct StashEdge {
  Curve curve;
  Rect bounds;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::vector<std::uint32_t> stashes;  ///< which of the drawing's it shows
  std::int64_t bytes = 0;
  bool is_turn = false;  ///< no stash: the way from the end of forward to the start of backward
};

/// A finished picture as plain values; painting it needs no other knowledge.
struct Drawing {
  std::vector<DrawnBox> boxes;  ///< parents before what lies in them
  std::vector<DrawnEdge> edges;
  std::vector<StashEdge> stash_edges;      ///< most bytes first
  std::vector<StashedValue> stashes;       ///< all that the edges of stashes show
  IdVector<NodeId, std::uint32_t> box_of;  ///< the innermost box that shows a node
  Rect bounds;
  std::array<Rect, 2> columns;  ///< by side
  std::int64_t most_stash_edge_bytes = 0;
  std::int64_t most_peak_bytes = 0;  ///< of one box
  double most_seconds = 0;           ///< of one box
  std::size_t steps = 0;             ///< of the whole step, for the legend
  std::size_t kept_closed = 0;       ///< groups that stay closed because the picture is full
  bool is_plain = false;             ///< placed by our own plain layout
};

/// @param placed the answer to make_request for the same outline
Drawing draw(const StepView& view, const Outline& outline, const LayoutResult& placed);

/// The innermost box at a point; nothing beside all boxes.
std::optional<std::uint32_t> box_at(const Drawing& drawing, Point point);

/// The closest of the stash_edges that pass a point within `reach`; nothing when there is none.
std::optional<std::uint32_t> stash_edge_at(const Drawing& drawing, Point point, double reach);

}  // namespace stashscope::layout
