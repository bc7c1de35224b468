#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/layout/place/geometry.h"

namespace stashscope::layout {

/// In place of a box: the edge comes from (leads to) what lies around the column.
constexpr std::uint32_t outside = 0xFFFFFFFF;
/// In place of a level: the box holds none.
constexpr std::uint32_t no_level = 0xFFFFFFFF;

/// Between boxes of one column, by their index.
struct LayoutEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;

  friend bool operator==(const LayoutEdge&, const LayoutEdge&) = default;
};

struct LayoutBox {
  Size size;                       ///< ignored for open boxes
  std::uint32_t inner = no_level;  ///< open boxes: the level that is drawn inside
};

/// One side of a level: boxes that run from the top down (forward) or from the bottom up
/// (backward).
struct LayoutColumn {
  std::vector<LayoutBox> boxes;
  std::vector<LayoutEdge> edges;
};

/// What one open group shows: two columns, and which of their boxes belong on one height.
struct LayoutLevel {
  LayoutColumn forward;
  LayoutColumn backward;
  std::vector<LayoutEdge> partners;  ///< from: forward box, to: backward box
};

/// Everything that is to be placed; inner levels come before the levels around them, the last level
/// is the whole picture.
struct LayoutRequest {
  std::vector<LayoutLevel> levels;
};

/// Boxes and edges in the order of the column they belong to, relative to its upper left corner.
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

/// A column for a placer: all sizes known, edges from lower to higher index but for cycles.
struct ColumnGraph {
  std::vector<Size> boxes;
  std::vector<LayoutEdge> edges;
  std::vector<bool> is_open;  ///< edges of an open box meet it in the middle of its border
};

/// Centres of boxes and curves of edges, running from the top down; boxes of one rank have the same
/// y.
struct RankedColumn {
  std::vector<Point> centers;
  std::vector<Curve> curves;
  Size size;
};

using Placer = std::function<RankedColumn(const ColumnGraph&)>;

/// Frame of an open box around its content.
constexpr double open_header = 28;
constexpr double open_padding = 12;

/// SourceOrder level by level from the inside out. Throws whatever `placer` throws.
LayoutResult place(const LayoutRequest& request, const Placer& placer);

}  // namespace stashscope::layout
