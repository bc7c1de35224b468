#pragma once

#include "core/layout/place/placement.h"

namespace stashscope::layout {

/// Distances between boxes of one rank and between ranks, for all placers.
constexpr double box_gap = 16;
constexpr double rank_gap = 22;

/// A plain layered layout: ranks by the longest path, boxes of a rank near their producers. Linear
/// in the size of the column, so it is there at once where a better one takes its time.
RankedColumn place_layered(const ColumnGraph& graph);

}  // namespace stashscope::layout
