#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "core/graph/dataflow.h"
#include "core/layout/place/placement.h"
#include "core/layout/scene/grouping.h"

namespace stashscope::layout {

/// One box of the picture: a single node or a group, on one side.
struct OutlineBox {
  NodeId node;    ///< valid for nodes (of the dataflow: clones too), else
  GroupId group;  ///< valid
  Side side = Side::forward;
  std::uint32_t inner = no_level;  ///< open groups: the level inside
};

/// One side of an open group.
struct OutlineColumn {
  std::vector<OutlineBox> boxes;       ///< in order of execution
  std::vector<LayoutEdge> edges;       ///< each pair once
  std::vector<std::uint32_t> tensors;  ///< how many tensors each edge stands for
};

struct OutlineLevel {
  GroupId group;
  std::array<OutlineColumn, 2> columns;  ///< by side
  std::vector<LayoutEdge> partners;      ///< forward box, backward box

  OutlineColumn& column(Side side) { return columns[static_cast<std::size_t>(side)]; }
  const OutlineColumn& column(Side side) const { return columns[static_cast<std::size_t>(side)]; }
};

/// A box within the levels; the side is that of whatever it shows.
struct Spot {
  std::uint32_t level = 0;
  std::uint32_t box = 0;
};

/// What can be seen of a step while some groups are open: its boxes, and edges merged between them.
/// Edges from forward to backward are left out; they are drawn as curves over the finished layout.
struct Outline {
  std::vector<OutlineLevel> levels;  ///< inner ones before those around them; the last is the root
  IdVector<NodeId, Spot> spot_of;    ///< the innermost box that shows a node of the dataflow
  std::size_t boxes = 0;
  std::size_t kept_closed = 0;  ///< groups that are to be open but would exceed the limit
};

/// How much is drawn at once; beyond, pictures cannot be read and layouts take long.
constexpr std::size_t most_boxes = 3000;

Outline make_outline(const Dataflow& dataflow, const Grouping& grouping, const OpenGroups& open,
                     std::size_t limit = most_boxes);

inline Side side_of(const Dataflow& dataflow, const Grouping& grouping, NodeId node) {
  return dataflow.is_clone(node) ? Side::backward : grouping.side[node];
}

/// Whether each node of the dataflow stands on the forward side.
IdVector<NodeId, bool> forward_nodes(const Dataflow& dataflow, const Grouping& grouping);

/// What is written on a box: the operator's type or the group's label.
std::string title_of(const OutlineBox& box, const Graph& graph, const Dataflow& dataflow,
                     const Grouping& grouping);

/// Width of a text in pixels at zoom 1.
using TextWidth = std::function<double(std::string_view)>;

/// The outline as boxes with sizes. Depends on nothing but what is to be seen, so that equal
/// requests can share one layout.
LayoutRequest make_request(const Outline& outline, const Graph& graph, const Dataflow& dataflow,
                           const Grouping& grouping, const TextWidth& text_width);

}  // namespace stashscope::layout
