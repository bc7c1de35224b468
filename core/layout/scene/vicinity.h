#pragma once

#include "core/layout/scene/drawing.h"

namespace stashscope::layout {

/// A node beside others, and a tensor that is between them.
struct Neighbour {
  NodeId node;
  ValueId value;

  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

/// The makers of what `nodes` read from elsewhere (the readers of what they make), each once, in
/// the order of their inputs (outputs).
std::vector<Neighbour> makers_before(const Topology& topology, const std::vector<NodeId>& nodes);
std::vector<Neighbour> readers_after(const Topology& topology, const std::vector<NodeId>& nodes);

/// The way of the activations that nodes make in forward or read in backward: who makes them, who
/// recomputes them, who reads them in backward; ascending. Empty where there are none.
std::vector<NodeId> activation_path(const Dataflow& dataflow, const Grouping& grouping,
                                    const std::vector<NodeId>& nodes);

/// The same for what one stash_edge of a drawing shows.
std::vector<NodeId> nodes_of_stash_edge(const Drawing& drawing, std::uint32_t stash_edge);

/// Whether each node is at most `hops` tensors away from one of `nodes`.
IdVector<NodeId, bool> nodes_near(const Topology& topology, const std::vector<NodeId>& nodes,
                                  int hops);

/// What of a drawing shows some nodes: their boxes, those around them, and what connects these.
struct DrawingPart {
  std::vector<bool> boxes;
  std::vector<bool> edges;
  std::vector<bool> stash_edges;
};
DrawingPart part_with(const Drawing& drawing, const IdVector<NodeId, bool>& nodes);

}  // namespace stashscope::layout
