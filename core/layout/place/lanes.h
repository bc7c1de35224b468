#pragma once

#include "core/layout/place/placement.h"

namespace stashscope::layout {

/// An edge over at least this many ranks is long.
constexpr std::size_t long_span = 12;
/// A box with at least this many long edges on one side gets a lane for its edges past other boxes.
constexpr std::size_t least_lane_edges = 24;

/// Returns a placer that draws the edges between one box and many distant boxes in a lane: these
/// edges share a straight line beside the column. `placer` places the column without these edges,
/// because Graphviz takes most of its time for such edges and pushes boxes aside for each of them.
Placer with_lanes(Placer placer);

/// Returns a placer that calls `placer` once for equal columns and reuses the result.
Placer remembering(Placer placer);

}  // namespace stashscope::layout
