#pragma once

#include "core/layout/place/placement.h"

namespace stashscope::layout {

/// Distances in pixels between boxes of one rank and between ranks, for all placers.
constexpr double box_gap = 16;
constexpr double rank_gap = 22;

/// A plain layered layout: the longest path to a box determines the box's rank, and the boxes of a
/// rank lie in execution order. Takes linear time, so that a picture is available while Graphviz
/// still runs.
RankedColumn place_layered(const ColumnGraph& graph);

}  // namespace stashscope::layout
