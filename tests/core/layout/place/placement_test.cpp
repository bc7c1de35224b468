#include "core/layout/place/placement.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/layout/place/layered.h"
#include "tests/core/layout/place/placement_checks.h"

namespace stashscope::layout {
namespace placement_test {

LayoutBox box(double width, double height) { return {{width, height}, no_level}; }
LayoutBox open_box(std::uint32_t inner) { return {{}, inner}; }

TEST(Layered, RanksByTheLongestPath) {
  const ColumnGraph graph = {{{50, 20}, {50, 20}, {50, 20}, {50, 20}},
                             {{0, 1}, {1, 2}, {0, 2}, {0, 3}},
                             std::vector<bool>(4)};
  const RankedColumn placed = place_layered(graph);
  EXPECT_EQ(placed.centers[1].y, placed.centers[3].y);
  EXPECT_LT(placed.centers[0].y, placed.centers[1].y);
  EXPECT_LT(placed.centers[1].y, placed.centers[2].y);
  EXPECT_EQ(placed.size.height, 3 * 20 + 2 * rank_gap);
  EXPECT_EQ(placed.size.width, 50 + box_gap + 50);
}

TEST(Layered, ManyIndependentBoxesTakeSeveralLines) {
  ColumnGraph graph;
  for (int i = 0; i < 100; ++i) graph.boxes.push_back({50, 20});
  graph.is_open.resize(100);
  const RankedColumn placed = place_layered(graph);
  EXPECT_LT(placed.size.width, 13 * (50 + box_gap));
  EXPECT_GT(placed.size.height, 8 * 20);
}

TEST(Layered, OfNothingIsEmpty) {
  const RankedColumn placed = place_layered({});
  EXPECT_TRUE(placed.centers.empty());
  EXPECT_EQ(placed.size, (Size{0, 0}));
}

TEST(Layered, CyclesAndEdgesOfOneBoxAreDrawnAndChangeNoRank) {
  const ColumnGraph graph = {{{50, 20}, {50, 20}}, {{0, 1}, {1, 0}, {1, 1}}, std::vector<bool>(2)};
  const RankedColumn placed = place_layered(graph);
  EXPECT_LT(placed.centers[0].y, placed.centers[1].y);
  ASSERT_EQ(placed.curves.size(), 3U);
  for (const Curve& curve : placed.curves) EXPECT_EQ(curve.size(), 4U);
}

TEST(Place, ForwardRunsDownAndBackwardRunsUp) {
  LayoutLevel level;
  level.forward = {{box(80, 26), box(80, 26), box(80, 26)}, {{0, 1}, {1, 2}}};
  level.backward = {{box(80, 26), box(80, 26)}, {{0, 1}}};
  level.partners = {{2, 0}, {0, 1}};
  const LayoutRequest request = {{level}};
  const LayoutResult result = place(request, place_layered);
  expect_tidy(request, result);
  const PlacedLevel& placed = result.levels[0];
  EXPECT_LT(placed.forward.boxes[0].y, placed.forward.boxes[2].y);
  EXPECT_GT(placed.backward.boxes[0].y, placed.backward.boxes[1].y);
  EXPECT_EQ(placed.forward.boxes[2].center().y, placed.backward.boxes[0].center().y);
  EXPECT_EQ(placed.forward.boxes[0].center().y, placed.backward.boxes[1].center().y);
}

TEST(Place, AnOpenBoxHoldsItsLevel) {
  LayoutLevel inner;
  inner.forward = {{box(80, 26), box(120, 26)}, {{outside, 0}, {0, 1}, {1, outside}}};
  inner.backward = {{box(60, 26)}, {}};
  LayoutLevel outer;
  outer.forward = {{box(80, 26), open_box(0), box(80, 26)}, {{0, 1}, {1, 2}}};
  outer.backward = {{open_box(0)}, {}};
  outer.partners = {{1, 0}};
  const LayoutRequest request = {{inner, outer}};
  const LayoutResult result = place(request, place_layered);
  expect_tidy(request, result);
  const Rect& forward = result.levels[1].forward.boxes[1];
  EXPECT_EQ(forward.width, result.levels[0].forward.width + 2 * open_padding);
  EXPECT_EQ(forward.height, result.levels[0].height + open_header + open_padding);
  EXPECT_EQ(result.levels[1].backward.boxes[0].height, forward.height)
      << "both sides of an open group are equally high, so that their content lines up";
}

TEST(Place, PassesOnWhatThePlacerThrows) {
  LayoutLevel level;
  level.forward.boxes = {box(10, 10)};
  const Placer refuses = [](const ColumnGraph&) -> RankedColumn { fail_run("", "no"); };
  EXPECT_THROW(place({{level}}, refuses), Error);
  EXPECT_TRUE(place({}, refuses).levels.empty());
}

TEST(Place, RandomRequestsAreTidy) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const LayoutRequest request = random_request(seed);
    expect_tidy(request, place(request, place_layered));
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace placement_test
}  // namespace stashscope::layout
