#include "core/layout/place/placement.h"

#include <algorithm>

#include "core/layout/place/rows.h"

namespace stashscope::layout {

namespace {

/// A column with its boxes sorted into rows from the top down.
struct Column {
  ColumnGraph graph;
  RankedColumn placed;
  std::vector<Row> rows;
  std::vector<std::size_t> row_of;  // row of each box
};

/// Reverses a backward column, which runs upwards, so that placers always see a downward column.
ColumnGraph turned(ColumnGraph graph) {
  const auto last = static_cast<std::uint32_t>(graph.boxes.size()) - 1;
  const auto turn = [&](std::uint32_t box) { return box == outside ? outside : last - box; };
  std::reverse(graph.boxes.begin(), graph.boxes.end());
  std::reverse(graph.is_open.begin(), graph.is_open.end());
  for (LayoutEdge& edge : graph.edges) edge = {turn(edge.to), turn(edge.from)};
  return graph;
}

RankedColumn turned_back(RankedColumn column) {
  std::reverse(column.centers.begin(), column.centers.end());
  for (Curve& curve : column.curves) std::reverse(curve.begin(), curve.end());
  return column;
}

void find_rows(Column& column) {
  const auto& centers = column.placed.centers;
  std::vector<std::size_t> by_height(centers.size());
  for (std::size_t i = 0; i < by_height.size(); ++i) by_height[i] = i;
  std::stable_sort(by_height.begin(), by_height.end(),
                   [&](std::size_t a, std::size_t b) { return centers[a].y < centers[b].y; });
  column.row_of.resize(centers.size());
  for (const std::size_t box : by_height) {
    const double y = centers[box].y;
    if (column.rows.empty() || y - column.rows.back().center > 0.5) column.rows.push_back({y, 0});
    Row& row = column.rows.back();
    row.height = std::max(row.height, column.graph.boxes[box].height);
    column.row_of[box] = column.rows.size() - 1;
  }
}

Size size_of(const LayoutBox& box, const std::vector<PlacedLevel>& placed, bool forward) {
  if (box.inner == no_level) return box.size;
  const PlacedLevel& level = placed[box.inner];
  const double width = forward ? level.forward.width : level.backward.width;
  return {width + 2 * open_padding, level.height + open_header + open_padding};
}

Column place_column(const LayoutColumn& column, const std::vector<PlacedLevel>& placed,
                    bool forward, const Placer& placer) {
  Column result;
  for (const LayoutBox& box : column.boxes) {
    result.graph.boxes.push_back(size_of(box, placed, forward));
    result.graph.is_open.push_back(box.inner != no_level);
  }
  result.graph.edges = column.edges;
  result.placed = forward ? placer(result.graph) : turned_back(placer(turned(result.graph)));
  find_rows(result);
  return result;
}

Point nearest_on(const Rect& box, Point p) {
  return {std::clamp(p.x, box.x, box.right()), std::clamp(p.y, box.y, box.bottom())};
}

/// Moves the ends of a curve onto their boxes. Placers end curves up to a pixel away from a box,
/// and stretching a gap enlarges this distance.
void tie_to_boxes(Curve& curve, const LayoutEdge& edge, const std::vector<Rect>& boxes) {
  if (curve.empty()) return;
  if (edge.from != outside) curve.front() = nearest_on(boxes[edge.from], curve.front());
  if (edge.to != outside) curve.back() = nearest_on(boxes[edge.to], curve.back());
}

/// The placed column after moving its rows to their new centres `rows`.
PlacedColumn finish(const Column& column, const std::vector<double>& rows) {
  PlacedColumn placed;
  placed.width = column.placed.size.width;
  for (std::size_t i = 0; i < column.graph.boxes.size(); ++i) {
    const Size size = column.graph.boxes[i];
    placed.boxes.push_back({column.placed.centers[i].x - size.width / 2,
                            rows[column.row_of[i]] - size.height / 2, size.width, size.height});
  }
  const RowMap map(column.rows, rows);
  for (std::size_t i = 0; i < column.placed.curves.size(); ++i) {
    Curve curve = column.placed.curves[i];
    for (Point& p : curve) p.y = map(p.y);
    tie_to_boxes(curve, column.graph.edges[i], placed.boxes);
    placed.curves.push_back(std::move(curve));
  }
  return placed;
}

/// The y of the lowest point of all boxes and curves.
double bottom_of(const PlacedColumn& column) {
  double bottom = 0;
  for (const Rect& box : column.boxes) bottom = std::max(bottom, box.bottom());
  for (const Curve& curve : column.curves) {
    if (!curve.empty()) bottom = std::max(bottom, bounds_of(curve).bottom());
  }
  return bottom;
}

double top_of(const PlacedColumn& column) {
  double top = 0;
  for (const Curve& curve : column.curves) {
    if (!curve.empty()) top = std::min(top, bounds_of(curve).y);
  }
  return top;
}

void move_down(PlacedColumn& column, double by) {
  for (Rect& box : column.boxes) box.y += by;
  for (Curve& curve : column.curves) {
    for (Point& p : curve) p.y += by;
  }
}

PlacedLevel place_level(const LayoutLevel& level, const std::vector<PlacedLevel>& placed,
                        const Placer& placer) {
  const Column forward = place_column(level.forward, placed, true, placer);
  const Column backward = place_column(level.backward, placed, false, placer);
  std::vector<RowLink> links;
  for (const LayoutEdge& pair : level.partners) {
    links.push_back({forward.row_of[pair.from], backward.row_of[pair.to]});
  }
  const AlignedRows rows = align_rows(forward.rows, backward.rows, std::move(links));
  PlacedLevel result;
  result.forward = finish(forward, rows.left);
  result.backward = finish(backward, rows.right);
  const double above = -std::min(top_of(result.forward), top_of(result.backward));
  move_down(result.forward, above);
  move_down(result.backward, above);
  result.height = std::max(bottom_of(result.forward), bottom_of(result.backward));
  return result;
}

}  // namespace

LayoutResult place(const LayoutRequest& request, const Placer& placer) {
  LayoutResult result;
  for (const LayoutLevel& level : request.levels) {
    result.levels.push_back(place_level(level, result.levels, placer));
  }
  return result;
}

}  // namespace stashscope::layout
