#include "core/layout/place/lanes.h"

#include <gtest/gtest.h>

#include "core/layout/place/layered.h"
#include "tests/core/layout/place/placement_checks.h"

namespace stashscope::layout {
namespace lanes_test {

/// A chain, and edges from its first box to all others.
LayoutColumn hub(std::uint32_t boxes) {
  LayoutColumn column;
  for (std::uint32_t i = 0; i < boxes; ++i) {
    column.boxes.push_back({{80, 26}, no_level});
    if (i > 0) column.edges.push_back({i - 1, i});
    if (i > 1) column.edges.push_back({0, i});
  }
  return column;
}

/// Places a level with lanes; returns how many edges the placer below them got.
std::size_t edges_without_lanes(const LayoutColumn& column) {
  std::size_t edges = 0;
  const Placer counts = [&](const ColumnGraph& graph) {
    edges += graph.edges.size();
    return place_layered(graph);
  };
  const LayoutRequest request = {{{column, {}, {}}}};
  expect_tidy(request, place(request, with_lanes(counts)));
  return edges;
}

TEST(Lanes, TakeTheEdgesOfAHub) {
  const std::uint32_t boxes = long_span + least_lane_edges;
  EXPECT_EQ(edges_without_lanes(hub(boxes)), boxes - 1) << "the chain";
  const std::uint32_t fewer = boxes - 1;
  EXPECT_EQ(edges_without_lanes(hub(fewer)), hub(fewer).edges.size());
}

TEST(Lanes, BothSidesAreTidyAndCurvesPassBesideTheBoxes) {
  const LayoutRequest request = {{{hub(80), hub(80), {{0, 79}, {79, 0}}}}};
  const LayoutResult result = place(request, with_lanes(place_layered));
  expect_tidy(request, result);
  const PlacedColumn& placed = result.levels[0].forward;
  for (std::size_t i = 0; i < placed.curves.size(); ++i) {
    const auto [from, to] = request.levels[0].forward.edges[i];
    for (const Point p : flattened(placed.curves[i], 8)) {
      for (std::uint32_t box = from + 1; box < to; ++box) {
        EXPECT_FALSE(placed.boxes[box].contains(p)) << "edge " << from << " to " << to;
      }
    }
  }
}

TEST(Lanes, LeaveAnEdgeThatAloneOrdersItsBox) {
  LayoutColumn column = hub(80);
  std::erase(column.edges, LayoutEdge{59, 60});  // the boxes from 60 on hang on the hub alone
  column.edges.push_back({60, 60 + long_span});
  const std::size_t chain = column.boxes.size() - 2;
  EXPECT_GT(edges_without_lanes(column), chain + 1);
}

TEST(Lanes, TakeTheEdgesToABoxToo) {
  LayoutColumn column;
  constexpr std::uint32_t boxes = 60;
  for (std::uint32_t i = 0; i < boxes; ++i) {
    column.boxes.push_back({{80, 26}, no_level});
    if (i + 1 < boxes) column.edges.push_back({i, i + 1});
    if (i + 2 < boxes) column.edges.push_back({i, boxes - 1});
  }
  EXPECT_EQ(edges_without_lanes(column), boxes - 1);
}

TEST(Remembering, PlacesEqualColumnsOnce) {
  int calls = 0;
  const Placer placer = remembering([&](const ColumnGraph& graph) {
    ++calls;
    return place_layered(graph);
  });
  ColumnGraph graph = {{{50, 20}, {50, 20}}, {{0, 1}}, std::vector<bool>(2)};
  const RankedColumn first = placer(graph);
  EXPECT_EQ(placer(graph).centers, first.centers);
  EXPECT_EQ(calls, 1);
  graph.is_open[1] = true;
  placer(graph);
  graph.boxes[0].width = 60;
  EXPECT_NE(placer(graph).centers, first.centers);
  EXPECT_EQ(calls, 3);
}

}  // namespace lanes_test
}  // namespace stashscope::layout
