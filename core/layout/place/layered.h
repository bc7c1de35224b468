#pragma once

#include "core/layout/place/placement.h"

namespace stashscope::layout {

/// Distances between boxes of one rank and between ranks, for all placers.
constexpr double box_gap = 16;
constexpr double rank_gap = 22;

/// A plain layered layout: the longest path determines the rank of a box, and boxes of a rank lie
/// near their producers. Takes linear time, so that a picture is available while Graphviz still
/// runs.
RankedColumn place_layered(const ColumnGraph& graph);

}  // namespace stashscope::layout
