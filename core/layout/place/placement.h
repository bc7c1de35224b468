#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/layout/place/geometry.h"

namespace stashscope::layout {

/// Used in place of a box index: the edge comes from (leads to) outside the column.
constexpr std::uint32_t outside = 0xFFFFFFFF;
/// Used in place of a level index: the box contains no level.
constexpr std::uint32_t no_level = 0xFFFFFFFF;

/// An edge between boxes of one column, by index.
struct LayoutEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;

  friend bool operator==(const LayoutEdge&, const LayoutEdge&) = default;
};

struct LayoutBox {
  Size size;                       ///< ignored for open boxes
  std::uint32_t inner = no_level;  ///< open boxes: the level drawn inside
};

/// One side of a level. Its boxes run from top to bottom (forward) or from bottom to top
/// (backward).
struct LayoutColumn {
  std::vector<LayoutBox> boxes;
  std::vector<LayoutEdge> edges;
};

/// The contents of one open group: two columns, and the pairs of boxes that should lie at the same
/// height.
struct LayoutLevel {
  LayoutColumn forward;
  LayoutColumn backward;
  std::vector<LayoutEdge> partners;  ///< from: forward box, to: backward box
};

/// All levels to place. Inner levels come before the levels that contain them; the last level is
/// the whole picture.
struct LayoutRequest {
  std::vector<LayoutLevel> levels;
};

/// The boxes and edges of a LayoutColumn, in the same order, relative to the column's upper left
/// corner.
struct PlacedColumn {
  std::vector<Rect> boxes;
  std::vector<Curve> curves;
  double width = 0;
};

struct PlacedLevel {
  PlacedColumn forward;
  PlacedColumn backward;
  double height = 0;
};

struct LayoutResult {
  std::vector<PlacedLevel> levels;
};

/// A column for a placer. All sizes are known; edges run from lower to higher index except in
/// cycles.
struct ColumnGraph {
  std::vector<Size> boxes;
  std::vector<LayoutEdge> edges;
  std::vector<bool> is_open;  ///< edges meet open boxes in the middle of the upper or lower border

  friend bool operator==(const ColumnGraph&, const ColumnGraph&) = default;
};

/// Centres of boxes and curves of edges, in the order of the ColumnGraph. Curves run from top to
/// bottom. The centres of boxes side by side have equal y.
struct RankedColumn {
  std::vector<Point> centers;
  std::vector<Curve> curves;
  Size size;
};

using Placer = std::function<RankedColumn(const ColumnGraph&)>;

/// The frame of an open box in pixels: its header above the content and its padding on other sides.
constexpr double open_header = 28;
constexpr double open_padding = 12;

/// Places all levels, inner levels first. Throws whatever `placer` throws.
LayoutResult place(const LayoutRequest& request, const Placer& placer);

}  // namespace stashscope::layout
