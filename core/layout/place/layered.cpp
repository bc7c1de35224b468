#include "core/layout/place/layered.h"

#include <algorithm>

namespace stashscope::layout {

namespace {

/// Limit on the boxes on one line, so that a rank of many independent boxes stays readable.
constexpr std::size_t widest_rank = 12;

class LayeredPlacer {
 public:
  explicit LayeredPlacer(const ColumnGraph& graph) : graph_(graph) {}

  RankedColumn place() {
    result_.centers.resize(graph_.boxes.size());
    find_ranks();
    stack_ranks();
    center_ranks();
    for (const LayoutEdge& edge : graph_.edges) result_.curves.push_back(curve_of(edge));
    return std::move(result_);
  }

 private:
  void find_ranks() {
    const std::vector<std::size_t> rank = ranks_of(graph_);
    for (std::size_t box = 0; box < rank.size(); ++box) {
      if (ranks_.size() <= rank[box]) ranks_.resize(rank[box] + 1);
      ranks_[rank[box]].push_back(box);
    }
  }

  /// Places the boxes of all ranks from the top down; splits a wide rank into several lines.
  void stack_ranks() {
    double y = has_edge_from_outside() ? rank_gap : 0;
    for (const auto& rank : ranks_) {
      for (std::size_t first = 0; first < rank.size(); first += widest_rank) {
        const std::size_t last = std::min(rank.size(), first + widest_rank);
        lines_.emplace_back(rank.begin() + static_cast<std::ptrdiff_t>(first),
                            rank.begin() + static_cast<std::ptrdiff_t>(last));
        y = stack_line(lines_.back(), y) + rank_gap;
      }
    }
    result_.size.height = std::max(0.0, y - rank_gap);
  }

  double stack_line(const std::vector<std::size_t>& line, double y) {
    double height = 0;
    double x = 0;
    for (const std::size_t box : line) height = std::max(height, graph_.boxes[box].height);
    for (const std::size_t box : line) {
      const double width = graph_.boxes[box].width;
      result_.centers[box] = {x + width / 2, y + height / 2};
      x += width + box_gap;
    }
    result_.size.width = std::max(result_.size.width, x - box_gap);
    return y + height;
  }

  void center_ranks() {
    for (const auto& line : lines_) {
      const std::size_t last = line.back();
      const double width = result_.centers[last].x + graph_.boxes[last].width / 2;
      const double by = (result_.size.width - width) / 2;
      for (const std::size_t box : line) result_.centers[box].x += by;
    }
  }

  bool has_edge_from_outside() const {
    return std::any_of(graph_.edges.begin(), graph_.edges.end(),
                       [](const LayoutEdge& edge) { return edge.from == outside; });
  }

  Curve curve_of(const LayoutEdge& edge) const {
    const double middle = result_.size.width / 2;
    const Point from = edge.from == outside ? Point{middle, 0} : border(edge.from, 0.5);
    const Point to =
        edge.to == outside ? Point{middle, result_.size.height + rank_gap} : border(edge.to, -0.5);
    return vertical_curve(from, to);
  }

  Point border(std::uint32_t box, double side) const {
    const Point center = result_.centers[box];
    return {center.x, center.y + side * graph_.boxes[box].height};
  }

  const ColumnGraph& graph_;
  RankedColumn result_;
  std::vector<std::vector<std::size_t>> ranks_;
  std::vector<std::vector<std::size_t>> lines_;
};

}  // namespace

bool runs_down(const LayoutEdge& edge) { return edge.to != outside && edge.from < edge.to; }

std::vector<std::size_t> ranks_of(const ColumnGraph& graph) {
  std::vector<std::vector<std::uint32_t>> before(graph.boxes.size());
  for (const LayoutEdge& edge : graph.edges) {
    if (runs_down(edge)) before[edge.to].push_back(edge.from);
  }
  std::vector<std::size_t> rank(graph.boxes.size(), 0);
  for (std::size_t box = 0; box < rank.size(); ++box) {
    for (const std::uint32_t each : before[box]) rank[box] = std::max(rank[box], rank[each] + 1);
  }
  return rank;
}

RankedColumn place_layered(const ColumnGraph& graph) { return LayeredPlacer(graph).place(); }

}  // namespace stashscope::layout
