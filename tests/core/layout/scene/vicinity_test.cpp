#include "core/layout/scene/vicinity.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/layout/scene/drawn_step.h"

namespace stashscope::layout {
namespace vicinity_test {

std::vector<std::string> names(const test::DrawnStep& step, const std::vector<Neighbour>& found) {
  std::vector<std::string> names;
  for (const Neighbour& neighbour : found) {
    names.push_back(name_of(step.study->graph(), step.dataflow(), neighbour.node));
  }
  return names;
}

TEST(Neighbours, OfANodeAreInTheOrderOfItsInputsAndReaders) {
  const test::DrawnStep step(test::blocks(2), 0, true);
  const Topology& topology = step.dataflow().topology;
  const std::vector<NodeId> add = {step.node("/model/h.0/Add_1")};
  EXPECT_EQ(names(step, makers_before(topology, add)),
            (std::vector<std::string>{"/model/h.0/Add", "/model/h.0/mlp/Gelu"}));
  const auto readers = names(step, readers_after(topology, add));
  ASSERT_GE(readers.size(), 2U);
  EXPECT_EQ(readers[0], "/model/h.1/attn/MatMul");
  EXPECT_EQ(readers[1], "/model/h.1/Add");
  EXPECT_TRUE(makers_before(topology, {step.node("/model/h.0/attn/MatMul")}).empty())
      << "it reads inputs only";
}

TEST(Neighbours, OfAGroupLieOutsideIt) {
  const test::DrawnStep step(test::blocks(2), 0, true);
  const Topology& topology = step.dataflow().topology;
  const std::vector<NodeId> mlp = {step.node("/model/h.1/mlp/MatMul"),
                                   step.node("/model/h.1/mlp/Gelu")};
  EXPECT_EQ(names(step, makers_before(topology, mlp)), std::vector<std::string>{"/model/h.1/Add"});
  for (const Neighbour& reader : readers_after(topology, mlp)) {
    EXPECT_EQ(std::count(mlp.begin(), mlp.end(), reader.node), 0);
  }
}

TEST(NodesNear, GrowHopByHop) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const test::DrawnStep step(test::random_model(seed, 40), 0, true);
    const Topology& topology = step.dataflow().topology;
    const NodeId start(seed * 3);
    auto before = nodes_near(topology, {start}, 0);
    EXPECT_EQ(std::count(before.begin(), before.end(), true), 1);
    for (int hops = 1; hops < 4; ++hops) {
      const auto after = nodes_near(topology, {start}, hops);
      for (const NodeId node : IdRange<NodeId>(after.size())) {
        if (before[node]) {
          EXPECT_TRUE(after[node]);
        }
        if (!after[node] || before[node]) continue;
        const auto makers = makers_before(topology, {node});
        const auto readers = readers_after(topology, {node});
        const auto was_near = [&](const Neighbour& each) { return before[each.node]; };
        EXPECT_TRUE(std::any_of(makers.begin(), makers.end(), was_near) ||
                    std::any_of(readers.begin(), readers.end(), was_near));
      }
      before = after;
    }
  }
}

TEST(PartWith, HoldsTheBoxesAroundAndTheLinesBetween) {
  const test::DrawnStep step(test::blocks(2), 0, true);
  const NodeId node = step.node("/model/h.0/mlp/MatMul");
  const auto near = nodes_near(step.dataflow().topology, {node}, 1);
  const DrawingPart part = part_with(step.drawing, near);
  for (const NodeId each : IdRange<NodeId>(near.size())) {
    EXPECT_EQ(part.boxes[step.drawing.box_of[each]], near[each]);
  }
  for (std::size_t i = 0; i < part.boxes.size(); ++i) {
    const std::uint32_t parent = step.drawing.boxes[i].parent;
    if (part.boxes[i] && parent != outside) {
      EXPECT_TRUE(part.boxes[parent]);
      EXPECT_TRUE(step.drawing.boxes[parent].is_open());
    }
  }
  for (std::size_t i = 0; i < part.stash_edges.size(); ++i) {
    const StashEdge& stash_edge = step.drawing.stash_edges[i];
    EXPECT_EQ(part.stash_edges[i], part.boxes[stash_edge.from] && part.boxes[stash_edge.to]);
  }
  EXPECT_GT(std::count(part.edges.begin(), part.edges.end(), true), 0);
  EXPECT_GT(std::count(part.edges.begin(), part.edges.end(), false), 0);
}

TEST(ActivationPath, LeadsFromTheMakerToItsBackwardReaders) {
  const test::DrawnStep step(test::blocks(2), 0, true);
  const NodeId tanh = step.node("/model/h.0/attn/Tanh");
  const auto path = activation_path(step.dataflow(), step.grouping, {tanh});
  ASSERT_GE(path.size(), 2U);
  EXPECT_EQ(path.front(), tanh);
  for (std::size_t i = 1; i < path.size(); ++i) {
    EXPECT_EQ(side_of(step.dataflow(), step.grouping, path[i]), Side::backward);
    const auto back = activation_path(step.dataflow(), step.grouping, {path[i]});
    EXPECT_TRUE(std::binary_search(back.begin(), back.end(), tanh));
  }
  EXPECT_TRUE(
      activation_path(step.dataflow(), step.grouping, {step.node("/model/h.0/mlp/Gelu")}).empty());
}

TEST(ActivationPath, GoesThroughTheRecomputation) {
  const test::DrawnStep step(test::blocks(2), 1, true);
  ASSERT_FALSE(step.study->applied.empty());
  for (const NodePlan* const plan : step.study->applied) {
    const auto path = activation_path(step.dataflow(), step.grouping, {plan->node});
    EXPECT_TRUE(std::any_of(path.begin(), path.end(), [&](NodeId node) {
      return step.dataflow().is_clone(node) && step.dataflow().origin(node) == plan->node;
    }));
  }
}

TEST(NodesOfStashEdge, AreMadeOnOneEndAndReadOnTheOther) {
  for (const bool open : {false, true}) {
    const test::DrawnStep step(test::blocks(3), 0, open);
    for (std::uint32_t i = 0; i < step.drawing.stash_edges.size(); ++i) {
      const StashEdge& stash_edge = step.drawing.stash_edges[i];
      const auto nodes = nodes_of_stash_edge(step.drawing, i);
      EXPECT_GE(nodes.size(), 2U);
      for (const NodeId node : nodes) {
        const std::uint32_t box = step.drawing.box_of[node];
        EXPECT_TRUE(box == stash_edge.from || box == stash_edge.to);
      }
    }
  }
}

TEST(CommonPart, HasWhatIsInBoth) {
  const test::DrawnStep step(test::blocks(3), 0, true);
  const Topology& topology = step.dataflow().topology;
  const DrawingPart a =
      part_with(step.drawing, nodes_near(topology, {step.node("/model/h.0/Add")}, 2));
  const DrawingPart b =
      part_with(step.drawing, nodes_near(topology, {step.node("/model/h.1/Add")}, 2));
  const DrawingPart both = common_part(a, b);
  for (std::size_t i = 0; i < both.boxes.size(); ++i) {
    EXPECT_EQ(both.boxes[i], a.boxes[i] && b.boxes[i]);
  }
  EXPECT_EQ(both.edges.size(), a.edges.size());
  EXPECT_EQ(both.stash_edges.size(), a.stash_edges.size());
}

TEST(BoundsOfAPart, HoldItsNodesAndNotTheGroupsAroundThem) {
  const test::DrawnStep step(test::blocks(3), 0, true);
  const NodeId node = step.node("/model/h.1/Add");
  const auto nothing = nodes_near(step.dataflow().topology, {}, 0);
  EXPECT_FALSE(bounds_of(step.drawing, part_with(step.drawing, nothing)));
  const auto alone = nodes_near(step.dataflow().topology, {node}, 0);
  EXPECT_EQ(bounds_of(step.drawing, part_with(step.drawing, alone)),
            step.drawing.boxes[step.drawing.box_of[node]].rect);
}

}  // namespace vicinity_test
}  // namespace stashscope::layout
