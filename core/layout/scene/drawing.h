#pragma once

#include "core/layout/scene/lifetimes.h"
#include "core/layout/scene/outline.h"
#include "core/memory/node_memory.h"
#include "core/recompute/node_stash.h"

namespace stashscope::layout {

/// The parts of a study that a picture needs.
struct StepView {
  const Graph& graph;
  const Dataflow& dataflow;
  const Timeline& timeline;
  const Grouping& grouping;
  NodeId yield;                         ///< boundary between forward and backward; invalid: none
  IdVector<NodeId, double> seconds;     ///< by node of the dataflow
  IdVector<NodeId, NodeMemory> memory;  ///< by node of the dataflow
  std::vector<StashedValue> stashed;    ///< stashed values of the step
  IdVector<NodeId, NodeStash> node_stashes;  ///< by node of the graph
};

struct DrawnBox {
  Rect rect;
  OutlineBox shows;
  std::string title;
  std::vector<std::string> short_titles;  ///< short forms of `title`, longest first; no other
                                          ///< title of its column has them
  std::string detail;                     ///< second line of closed groups
  std::size_t nodes = 0;                  ///< number of nodes in the box
  std::size_t clones = 0;                 ///< number of clones among these nodes
  NodeMemory memory;                      ///< memory of all nodes in the box
  double seconds = 0;                     ///< run time of all nodes in the box
  /// By StashState: the bytes that the nodes in the box would stash if no plan were applied. A node
  /// that stashes outputs adds at least 1.
  std::array<std::int64_t, stash_states> stash{};
  /// Share of the step's slots during which the box's outputs stay in memory, as an average over
  /// their bytes; negative if the bytes are too few to matter.
  double heat = -1;
  std::uint32_t parent = outside;  ///< the open box around it
  std::uint32_t block = outside;   ///< open boxes: index into the drawing's blocks

  bool is_open() const { return shows.inner != no_level; }
};

struct DrawnEdge {
  Curve curve;  ///< never empty
  Rect bounds;
  std::uint32_t from = 0;  ///< index of a box; the open box if the edge crosses its border
  std::uint32_t to = 0;
  std::uint32_t tensors = 1;
};

/// Stashed activations between two boxes, as a curve across the picture.
struct StashEdge {
  Curve curve;
  Rect bounds;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::vector<std::uint32_t> stashes;  ///< indices into the drawing's stashes
  std::int64_t bytes = 0;
  bool is_turn = false;  ///< shows only outputs of the YieldOp, which are not stashed
};

/// A finished picture as plain values; painting needs nothing else.
struct Drawing {
  std::vector<DrawnBox> boxes;   ///< parents before their contents
  std::vector<DrawnBox> blocks;  ///< the open boxes as if they were closed
  std::vector<DrawnEdge> edges;
  std::vector<StashEdge> stash_edges;      ///< most bytes first
  std::vector<StashedValue> stashes;       ///< all values shown by stash edges
  IdVector<NodeId, std::uint32_t> box_of;  ///< the innermost box that shows a node
  Rect bounds;
  std::array<Rect, 2> columns;          ///< rectangles of the columns, by side
  std::int64_t most_peak_bytes = 0;     ///< largest peak bytes of a box
  double most_seconds = 0;              ///< longest run time of a box
  LifetimeBytes stashed_by_lifetime{};  ///< stashed bytes of the step
  std::array<std::int64_t, stash_states>
      stash_by_state{};         ///< bytes that nodes would stash if no plan were applied
  std::size_t steps = 0;        ///< slots of the whole step, for the legend
  std::size_t kept_closed = 0;  ///< groups kept closed by the limit on boxes
  bool is_plain = false;        ///< placed by place_layered instead of Graphviz
};

/// @param placed the layout of the request that `make_request` returns for `outline`
Drawing draw(const StepView& view, const Outline& outline, const LayoutResult& placed);

/// The innermost box at a point; nullopt if no box contains the point.
std::optional<std::uint32_t> box_at(const Drawing& drawing, Point point);

}  // namespace stashscope::layout
