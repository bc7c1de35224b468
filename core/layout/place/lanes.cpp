#include "core/layout/place/lanes.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/layout/place/layered.h"

namespace stashscope::layout {

namespace {

constexpr double lane_gap = 16;  // pixels between lanes, and between a lane and the column

/// Edges that share a straight line past other boxes. All edges of a lane start (or end) at one
/// box, the hub.
struct Lane {
  std::uint32_t hub = 0;
  bool leaves = true;              ///< the edges start at the hub
  std::vector<std::size_t> edges;  ///< indices into the column's edges
};

using Neighbours = std::vector<std::vector<std::uint32_t>>;

/// For each box, whether a path leads from `start` to the box.
std::vector<bool> reached(const Neighbours& next, std::uint32_t start) {
  std::vector<bool> seen(next.size(), false);
  std::vector<std::uint32_t> open = {start};
  while (!open.empty()) {
    const std::uint32_t box = open.back();
    open.pop_back();
    for (const std::uint32_t each : next[box]) {
      if (!seen[each]) open.push_back(each);
      seen[each] = true;
    }
  }
  return seen;
}

class LaneFinder {
 public:
  explicit LaneFinder(const ColumnGraph& graph) : graph_(graph), taken_(graph.edges.size()) {}

  std::vector<Lane> find() {
    collect();
    list_rest();
    for (Lane& lane : lanes_) drop_unimplied(lane);
    std::erase_if(lanes_, [](const Lane& lane) { return lane.edges.empty(); });
    return std::move(lanes_);
  }

 private:
  void collect() {
    const std::vector<std::size_t> rank = ranks_of(graph_);
    for (const bool leaves : {true, false}) {
      std::vector<std::vector<std::size_t>> edges_of(graph_.boxes.size());
      std::vector<std::size_t> long_edges(graph_.boxes.size(), 0);
      for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
        const LayoutEdge& edge = graph_.edges[i];
        if (taken_[i] || !runs_down(edge) || rank[edge.to] < rank[edge.from] + 2) continue;
        const std::uint32_t hub = leaves ? edge.from : edge.to;
        edges_of[hub].push_back(i);
        if (rank[edge.to] >= rank[edge.from] + long_span) ++long_edges[hub];
      }
      for (std::uint32_t box = 0; box < edges_of.size(); ++box) {
        if (long_edges[box] >= least_lane_edges) take({box, leaves, std::move(edges_of[box])});
      }
    }
  }

  void take(Lane lane) {
    for (const std::size_t edge : lane.edges) taken_[edge] = true;
    lanes_.push_back(std::move(lane));
  }

  void list_rest() {
    after_.resize(graph_.boxes.size());
    before_.resize(graph_.boxes.size());
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
      const LayoutEdge& edge = graph_.edges[i];
      if (taken_[i] || !runs_down(edge)) continue;
      after_[edge.from].push_back(edge.to);
      before_[edge.to].push_back(edge.from);
    }
  }

  /// Keeps an edge in the lane only if a path of edges outside of all lanes also leads from the
  /// first box of the edge to the second. This path keeps the two boxes in order although the
  /// placer does not see the edges of lanes.
  void drop_unimplied(Lane& lane) const {
    const std::vector<bool> seen = reached(lane.leaves ? after_ : before_, lane.hub);
    std::erase_if(lane.edges, [&](std::size_t i) {
      return !seen[lane.leaves ? graph_.edges[i].to : graph_.edges[i].from];
    });
  }

  const ColumnGraph& graph_;
  std::vector<bool> taken_;  // by edge: whether a lane contains it
  std::vector<Lane> lanes_;
  Neighbours after_;
  Neighbours before_;
};

/// The y of the upper and the lower end of a box's row.
struct Span {
  double top = 0;
  double bottom = 0;
};
std::vector<Span> rows_of(const ColumnGraph& graph, const RankedColumn& placed) {
  std::vector<Span> rows(graph.boxes.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = placed.centers[i].y;
    double half = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const bool beside = std::abs(placed.centers[k].y - y) < 0.5;
      if (beside) half = std::max(half, graph.boxes[k].height / 2);
    }
    rows[i] = {y - half, y + half};
  }
  return rows;
}

void add(Curve& curve, const Curve& piece) {
  curve.insert(curve.end(), piece.begin() + 1, piece.end());
}

/// The curve of an edge from `from` to `to`. It runs down into the gap below the upper row, along
/// this gap to the lane, down the lane to the gap above the lower row, along this gap, and down to
/// `to`. No box lies in a gap.
Curve lane_curve(Point from, Point to, double below, double above, double lane) {
  Curve curve = {from};
  add(curve, vertical_curve(from, {from.x, below}));
  add(curve, vertical_curve({from.x, below}, {lane, below + rank_gap}));
  add(curve, vertical_curve({lane, below + rank_gap}, {lane, above - rank_gap}));
  add(curve, vertical_curve({lane, above - rank_gap}, {to.x, above}));
  add(curve, vertical_curve({to.x, above}, to));
  return curve;
}

/// Where an edge in a lane meets a box, relative to the centre of the box. Edges from neighbouring
/// rows meet the box further to the right.
/// @param side 0.5 for the lower border, -0.5 for the upper one
Point lane_end(const ColumnGraph& graph, std::uint32_t box, double side) {
  const Size size = graph.boxes[box];
  return {graph.is_open[box] ? 0 : -size.width / 4, side * size.height};
}

void move_right(RankedColumn& placed, double by) {
  placed.size.width += by;
  for (Point& center : placed.centers) center.x += by;
  for (Curve& curve : placed.curves) {
    for (Point& p : curve) p.x += by;
  }
}

/// Adds the curves of the edges in lanes to the placed curves of all other edges, in the order of
/// the column's edges.
void add_curves(const ColumnGraph& graph, const std::vector<Lane>& lanes, RankedColumn& placed) {
  std::vector<double> lane_of(graph.edges.size(), -1);  // by edge: x of its lane; -1: none
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    for (const std::size_t edge : lanes[i].edges) {
      lane_of[edge] = static_cast<double>(i) * lane_gap;
    }
  }
  const std::vector<Span> rows = rows_of(graph, placed);
  std::vector<Curve> curves(graph.edges.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (lane_of[i] < 0) {
      curves[i] = std::move(placed.curves[next++]);
      continue;
    }
    const auto [from, to] = graph.edges[i];
    const Point start = placed.centers[from] + lane_end(graph, from, 0.5);
    const Point end = placed.centers[to] + lane_end(graph, to, -0.5);
    curves[i] = lane_curve(start, end, rows[from].bottom, rows[to].top, lane_of[i]);
  }
  placed.curves = std::move(curves);
}

RankedColumn place_with_lanes(const ColumnGraph& graph, const Placer& placer) {
  const std::vector<Lane> lanes = LaneFinder(graph).find();
  if (lanes.empty()) return placer(graph);
  std::vector<bool> in_lane(graph.edges.size(), false);
  for (const Lane& lane : lanes) {
    for (const std::size_t edge : lane.edges) in_lane[edge] = true;
  }
  ColumnGraph rest = {graph.boxes, {}, graph.is_open};
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    if (!in_lane[i]) rest.edges.push_back(graph.edges[i]);
  }
  RankedColumn placed = placer(rest);
  move_right(placed, static_cast<double>(lanes.size()) * lane_gap);
  add_curves(graph, lanes, placed);
  return placed;
}

}  // namespace

Placer with_lanes(Placer placer) {
  return [placer = std::move(placer)](const ColumnGraph& graph) {
    return place_with_lanes(graph, placer);
  };
}

Placer remembering(Placer placer) {
  using Known = std::vector<std::pair<ColumnGraph, RankedColumn>>;
  return [placer = std::move(placer), known = std::make_shared<Known>()](const ColumnGraph& graph) {
    const auto found = std::find_if(known->begin(), known->end(),
                                    [&](const auto& each) { return each.first == graph; });
    if (found != known->end()) return found->second;
    known->emplace_back(graph, placer(graph));
    return known->back().second;
  };
}

}  // namespace stashscope::layout
