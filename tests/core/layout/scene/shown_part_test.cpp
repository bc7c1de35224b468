#include "core/layout/scene/shown_part.h"

#include <gtest/gtest.h>

#include <set>

#include "core/layout/scene/vicinity.h"
#include "tests/core/layout/scene/drawn_step.h"

namespace stashscope::layout {
namespace shown_part_test {

std::vector<test::DrawnStep> open_steps() {
  std::vector<test::DrawnStep> all;
  all.emplace_back(test::blocks(4), 0, true);
  all.emplace_back(test::blocks(4), 1, true);
  all.emplace_back(test::layers_with_tanh(5), 1, true);
  for (unsigned seed = 1; seed <= 3; ++seed)
    all.emplace_back(test::random_model(seed, 60), 0, true);
  return all;
}

/// Layers that stash several activations for each other's gradients.
test::ModelBuilder blocks_with_two_stashes() {
  test::ModelBuilder m;
  m.input("x", {"N", 4});
  std::string last = "x";
  for (const std::string layer : {"/h.0/", "/h.1/"}) {
    m.weight(layer + "w", {4, 4}).node("MatMul", {last, layer + "w"}, {layer + "m"});
    m.node("Tanh", {layer + "m"}, {layer + "t"}).node("Exp", {layer + "t"}, {layer + "e"});
    m.node("Sigmoid", {layer + "e"}, {layer + "s"});
    last = layer + "s";
  }
  m.node("ReduceMean", {last}, {"/h.1/loss"}, {{"keepdims", std::int64_t{0}}});
  return m.output("/h.1/loss");
}

ShownPart shown_above(const Drawing& drawing, double least) {
  return shown_part(drawing, inner_heights(drawing), least);
}

TEST(ShownPart, ShowsEverythingFromNearAndTheOutermostBoxesFromFarAway) {
  for (const test::DrawnStep& step : open_steps()) {
    const Drawing& drawing = step.drawing;
    const ShownPart near = shown_above(drawing, 0);
    const ShownPart far = shown_above(drawing, 1e9);
    for (std::size_t i = 0; i < drawing.boxes.size(); ++i) {
      EXPECT_EQ(near.boxes[i], 1);
      EXPECT_EQ(near.leaves[i] != 0, !drawing.boxes[i].is_open());
      EXPECT_EQ(far.boxes[i] != 0, drawing.boxes[i].parent == outside);
      EXPECT_EQ(far.leaves[i], far.boxes[i]);
    }
    for (const std::uint8_t edge : near.edges) EXPECT_EQ(edge, 1);
  }
}

TEST(ShownPart, WhatIsShownLiesInBoxesThatShowTheirInside) {
  for (const test::DrawnStep& step : open_steps()) {
    const Drawing& drawing = step.drawing;
    const std::vector<double> heights = inner_heights(drawing);
    for (const double least : {1.0, 26.5, 43.0, 150.0, 400.0}) {
      const ShownPart shown = shown_part(drawing, heights, least);
      for (std::uint32_t i = 0; i < drawing.boxes.size(); ++i) {
        const std::uint32_t parent = drawing.boxes[i].parent;
        const bool is_inside =
            parent == outside || (shown.boxes[parent] != 0 && heights[parent] >= least);
        EXPECT_EQ(shown.boxes[i] != 0, is_inside);
        EXPECT_EQ(shown.boxes[shown.shown_around(drawing, i)], 1);
      }
      for (std::size_t i = 0; i < drawing.edges.size(); ++i) {
        if (shown.edges[i] == 0) continue;
        EXPECT_TRUE(shown.boxes[drawing.edges[i].from] && shown.boxes[drawing.edges[i].to]);
      }
    }
  }
}

/// Bytes of all stashes on the curves, each once.
std::int64_t bytes_of(const Drawing& drawing) {
  std::set<std::uint32_t> stashes;
  for (const StashEdge& edge : drawing.stash_edges) {
    stashes.insert(edge.stashes.begin(), edge.stashes.end());
  }
  std::int64_t bytes = 0;
  for (const std::uint32_t stash : stashes) bytes += drawing.stashes[stash].bytes;
  return bytes;
}

TEST(Bundles, JoinAllCurvesBetweenTheSameTwoGroupsAndCountEachStashOnce) {
  for (const test::DrawnStep& step : open_steps()) {
    const Drawing& drawing = step.drawing;
    for (const double least : {0.0, 43.0, 1e9}) {
      const ShownPart shown = shown_above(drawing, least);
      std::set<std::tuple<std::uint32_t, std::uint32_t, bool>> ends;
      std::set<std::uint32_t> edges;
      for (const StashBundle& bundle : shown.bundles) {
        EXPECT_TRUE(ends.emplace(bundle.from, bundle.to, bundle.is_turn).second);
        std::set<std::uint32_t> stashes;
        for (const std::uint32_t edge : bundle.stash_edges) {
          EXPECT_TRUE(edges.insert(edge).second);
          const StashEdge& drawn = drawing.stash_edges[edge];
          stashes.insert(drawn.stashes.begin(), drawn.stashes.end());
        }
        std::int64_t bytes = 0;
        for (const std::uint32_t stash : stashes) bytes += drawing.stashes[stash].bytes;
        EXPECT_EQ(bundle.bytes, bytes);
        EXPECT_EQ(bundle.stashes.size(), stashes.size());
        EXPECT_LE(bundle.bytes, bytes_of(drawing));
      }
      EXPECT_EQ(edges.size(), drawing.stash_edges.size());
      EXPECT_TRUE(std::is_sorted(
          shown.bundles.begin(), shown.bundles.end(),
          [](const StashBundle& a, const StashBundle& b) { return a.bytes > b.bytes; }));
    }
  }
}

TEST(Bundles, AreFewerThanTheirCurvesInOpenGroups) {
  const test::DrawnStep step(blocks_with_two_stashes(), 0, true);
  const ShownPart shown = shown_above(step.drawing, 0);
  EXPECT_LT(shown.bundles.size(), step.drawing.stash_edges.size());
  const bool has_twigs = std::any_of(shown.bundles.begin(), shown.bundles.end(),
                                     [](const StashBundle& each) { return !each.twigs.empty(); });
  EXPECT_TRUE(has_twigs);
}

TEST(Bundles, HoldTheNodesOfTheirCurves) {
  const test::DrawnStep step(test::blocks(3), 0, true);
  for (const StashBundle& bundle : shown_above(step.drawing, 0).bundles) {
    const std::vector<NodeId> nodes = nodes_of_bundle(step.drawing, bundle);
    EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end()));
    for (const std::uint32_t edge : bundle.stash_edges) {
      for (const NodeId node : nodes_of_stash_edge(step.drawing, edge)) {
        EXPECT_TRUE(std::binary_search(nodes.begin(), nodes.end(), node));
      }
    }
  }
}

TEST(BundleAt, FindsEveryBundleOnItsCurveAndItsTwigs) {
  for (const test::DrawnStep& step : open_steps()) {
    const ShownPart shown = shown_above(step.drawing, 0);
    for (const StashBundle& bundle : shown.bundles) {
      std::vector<Curve> curves = bundle.twigs;
      curves.push_back(bundle.curve);
      for (const Curve& curve : curves) {
        EXPECT_TRUE(bundle_at(shown, point_on(curve.data(), 0.5), 3));
      }
    }
    EXPECT_FALSE(bundle_at(shown, {-1000, -1000}, 3));
  }
}

TEST(BundleAt, ReachesSoFarAndNoFurther) {
  ShownPart shown;
  StashBundle bundle;
  bundle.curve = horizontal_curve({0, 0}, {100, 0});
  bundle.bounds = bounds_of(bundle.curve);
  shown.bundles = {bundle};
  EXPECT_EQ(bundle_at(shown, {50, 2.9}, 3), 0U);
  EXPECT_FALSE(bundle_at(shown, {50, 3.1}, 3));
}

TEST(LifetimeClass, CutsTheStepIntoQuarters) {
  EXPECT_EQ(lifetime_class(1, 100), 0U);
  EXPECT_EQ(lifetime_class(25, 100), 0U);
  EXPECT_EQ(lifetime_class(26, 100), 1U);
  EXPECT_EQ(lifetime_class(100, 100), 3U);
  EXPECT_EQ(lifetime_class(1, 1), 3U);
}

TEST(NodesAliveAt, AreTheRunningNodeAndThoseWithABufferInMemory) {
  const test::DrawnStep step(test::blocks(3), 1, false);
  const Timeline& timeline = step.study->current->timeline;
  const Topology& topology = step.dataflow().topology;
  for (std::size_t slot = 0; slot < timeline.order.size(); ++slot) {
    const auto alive = nodes_alive_at(step.dataflow(), timeline, slot);
    EXPECT_TRUE(alive[timeline.order[slot]]);
    std::set<BufferId> buffers;
    for (const BufferId id : alive_at(timeline, slot)) buffers.insert(id);
    for (const NodeId node : IdRange<NodeId>(topology.nodes())) {
      bool has_buffer = node == timeline.order[slot];
      for (const ValueId output : topology.outputs[node]) {
        has_buffer |= output.valid() && buffers.contains(timeline.buffer_of[output]);
      }
      EXPECT_EQ(alive[node], has_buffer);
    }
  }
}

}  // namespace shown_part_test
}  // namespace stashscope::layout
