#pragma once

#include <optional>

#include "core/layout/scene/drawing.h"

namespace stashscope::layout {

/// A neighbouring node, and the tensor on the edge to it.
struct Neighbour {
  NodeId node;
  ValueId value;

  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

/// The nodes outside of `nodes` that produce an input (read an output) of `nodes`, each once and in
/// the order of the inputs (outputs).
std::vector<Neighbour> makers_before(const Topology& topology, const std::vector<NodeId>& nodes);
std::vector<Neighbour> readers_after(const Topology& topology, const std::vector<NodeId>& nodes);

/// The nodes that make and read the activations which `nodes` make in forward or read in backward,
/// ascending. For an activation that one of `nodes` makes: its maker, the clones that recompute it,
/// and all its readers in backward. For an activation that one of `nodes` reads: its maker, the
/// clone whose output is read, if any, and this reader. Empty if there are no such activations.
std::vector<NodeId> activation_path(const Dataflow& dataflow, const Grouping& grouping,
                                    const std::vector<NodeId>& nodes);

/// The producers of the stashed values on a stash edge of a drawing, and the readers of these
/// values in the box where the edge ends, ascending.
std::vector<NodeId> nodes_of_stash_edge(const Drawing& drawing, std::uint32_t stash_edge);

/// Whether each node is at most `hops` tensors away from one of `nodes`.
IdVector<NodeId, bool> nodes_near(const Topology& topology, const std::vector<NodeId>& nodes,
                                  int hops);

/// The part of a drawing that shows some nodes: their boxes, the boxes around them, and the edges
/// between these boxes.
struct DrawingPart {
  std::vector<bool> boxes;
  std::vector<bool> edges;
  std::vector<bool> stash_edges;
};
DrawingPart part_with(const Drawing& drawing, const IdVector<NodeId, bool>& nodes);
/// The boxes and edges that both parts of one drawing contain.
DrawingPart common_part(const DrawingPart& a, const DrawingPart& b);
/// The smallest rectangle around the nodes and closed groups of a part; nullopt if it has none.
std::optional<Rect> bounds_of(const Drawing& drawing, const DrawingPart& part);

}  // namespace stashscope::layout
