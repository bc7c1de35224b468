#pragma once

#include "core/layout/place/placement.h"

namespace stashscope::layout {

/// Distances in pixels between boxes of one rank and between ranks, for all placers.
constexpr double box_gap = 16;
constexpr double rank_gap = 22;

/// Whether the edge leads from one box to a box with a higher index. Other edges between boxes
/// close cycles.
bool runs_down(const LayoutEdge& edge);

/// For each box, the number of edges on the longest path of downward edges (`runs_down`) to the
/// box.
std::vector<std::size_t> ranks_of(const ColumnGraph& graph);

/// A plain layered layout: the longest path to a box determines the box's rank, and the boxes of a
/// rank are ordered by index. It takes linear time. Therefore, a picture is available while
/// Graphviz still runs.
RankedColumn place_layered(const ColumnGraph& graph);

}  // namespace stashscope::layout
