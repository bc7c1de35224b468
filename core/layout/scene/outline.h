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
  NodeId node;    ///< of the dataflow, including clones; invalid for groups
  GroupId group;  ///< valid for groups only
  Side side = Side::forward;
  std::uint32_t inner = no_level;  ///< open groups: the level inside
};

/// One side of an open group.
struct OutlineColumn {
  std::vector<OutlineBox> boxes;       ///< in file order, clones before their first reader
  std::vector<LayoutEdge> edges;       ///< at most one per pair of boxes
  std::vector<std::uint32_t> tensors;  ///< number of tensors merged into each edge
};

struct OutlineLevel {
  GroupId group;
  std::array<OutlineColumn, 2> columns;  ///< by side
  std::vector<LayoutEdge> partners;      ///< from: forward box, to: backward box

  OutlineColumn& column(Side side) { return columns[static_cast<std::size_t>(side)]; }
  const OutlineColumn& column(Side side) const { return columns[static_cast<std::size_t>(side)]; }
};

/// The place of a box: its level, and its index in one of the level's columns.
struct Spot {
  std::uint32_t level = 0;
  std::uint32_t box = 0;
};

/// The visible part of a step for a set of open groups: boxes and merged edges. Edges from forward
/// to backward are left out; they are drawn as curves over the finished layout.
struct Outline {
  std::vector<OutlineLevel> levels;  ///< inner levels first; the last is the root
  IdVector<NodeId, Spot> spot_of;    ///< the innermost box that shows a node of the dataflow
  std::size_t boxes = 0;
  std::size_t kept_closed = 0;  ///< number of groups that only the limit on boxes keeps closed
};

/// Limit on boxes drawn at once. Larger pictures are unreadable and slow to place.
constexpr std::size_t most_boxes = 3000;

Outline make_outline(const Dataflow& dataflow, const Grouping& grouping, const OpenGroups& open,
                     std::size_t limit = most_boxes);

inline Side side_of(const Dataflow& dataflow, const Grouping& grouping, NodeId node) {
  return dataflow.is_clone(node) ? Side::backward : grouping.side[node];
}

/// The text on a box: the name of the operator or the group's label.
std::string title_of(const OutlineBox& box, const Graph& graph, const Dataflow& dataflow,
                     const Grouping& grouping);

/// Width of a text in pixels at zoom 1.
using TextWidth = std::function<double(std::string_view)>;

/// The outline as boxes with sizes. The request depends only on visible properties: outlines that
/// look the same give equal requests, and equal requests can share a layout.
/// @param text_scale size of the texts, relative to the size that `text_width` measures
LayoutRequest make_request(const Outline& outline, const Graph& graph, const Dataflow& dataflow,
                           const Grouping& grouping, const TextWidth& text_width,
                           double text_scale = 1);

}  // namespace stashscope::layout
