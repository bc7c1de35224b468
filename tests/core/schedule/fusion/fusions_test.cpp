#include "core/schedule/fusion/fusions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/base/error.h"
#include "core/schedule/fusion/acyclic_groups.h"
#include "core/schedule/fusion/group_builder.h"
#include "tests/support/step_in_orders.h"
#include "tests/support/ten_paths.h"

namespace stashscope {
namespace fusions_test {

constexpr std::int64_t tensor = 256 * 256 * 4;  ///< bytes of each tensor in the ten paths

FusedGroups groups_of(const test::StepInOrders& step, std::string_view fusion,
                      const FusionEdits& edits = {}, std::string_view order = "file") {
  const OrderInput input = step.input();
  return find_fusion(fusion).groups({input, find_order(order), edits});
}

std::vector<std::vector<std::string>> names(const test::StepInOrders& step,
                                            const FusedGroups& groups) {
  std::vector<std::vector<std::string>> names;
  for (const FusedGroupId group : IdRange<FusedGroupId>(groups.members.size())) {
    names.emplace_back();
    for (const NodeId node : groups.members[group]) {
      names.back().push_back(step.step.graph->node(node).name);
    }
  }
  return names;
}

using Names = std::vector<std::vector<std::string>>;

std::int64_t tensors_at_peak(test::Listing listing, std::string_view fusion,
                             std::string_view order) {
  const test::StepInOrders step(test::ten_paths(listing).build());
  const FusedGroups groups = groups_of(step, fusion, {}, order);
  return test::activation_peak(timeline_in(step.input(), find_order(order), groups)) / tensor;
}

TEST(FusedTenPaths, KeepThreeTensorsUnlessTheyAreFusedAcrossPaths) {
  for (const auto listing : {test::Listing::path_by_path, test::Listing::level_by_level}) {
    for (const char* order : {"reverse-depth-first", "largest-first"}) {
      EXPECT_EQ(tensors_at_peak(listing, "none", order), 3);
      EXPECT_EQ(tensors_at_peak(listing, "dataflow", order), 3);
      EXPECT_EQ(tensors_at_peak(listing, "memory-aware", order), 3);
    }
  }
}

TEST(FusedTenPaths, NeedElevenTensorsFusedByLevelWhateverTheirOrder) {
  // All ten t1 leave the first group, and the products need one more tensor. The second group
  // writes each t3 over its t2. Then the chain begins while ten t3 are live.
  for (const auto listing : {test::Listing::path_by_path, test::Listing::level_by_level}) {
    for (const OrderStrategy& order : order_strategies()) {
      EXPECT_EQ(tensors_at_peak(listing, "horizontal", order.name), 11) << order.name;
    }
  }
}

/// Every tensor is float32[16, 16], 1 KiB.
test::ModelBuilder chain() {
  test::ModelBuilder m;
  m.input("x", {16, 16});
  m.node("Transpose", {"x"}, {"t"});
  m.node("Exp", {"t"}, {"a"}).node("Neg", {"a"}, {"b"}).node("Tanh", {"b"}, {"c"});
  return m.node("MatMul", {"c", "c"}, {"y"}).output("y");
}

TEST(Fusions, FollowTheDataflow) {
  const test::StepInOrders step(chain().build());
  EXPECT_EQ(names(step, groups_of(step, "dataflow")), (Names{{"make_a", "make_b", "make_c"}}));
  EXPECT_TRUE(groups_of(step, "none").empty());
  EXPECT_TRUE(groups_of(step, "horizontal").empty());
}

TEST(Fusions, AreSplitAndForbiddenByTheUser) {
  const test::StepInOrders step(chain().build());
  EXPECT_EQ(names(step, groups_of(step, "dataflow", {{NodeId(1)}, {}})),
            (Names{{"make_b", "make_c"}}));
  EXPECT_TRUE(groups_of(step, "dataflow", {{NodeId(2)}, {}}).empty());
  EXPECT_EQ(names(step, groups_of(step, "dataflow", {{}, {{NodeId(1), NodeId(3)}}})),
            (Names{{"make_a", "make_b"}}));
}

TEST(Fusions, NeverWaitForThemselves) {
  test::ModelBuilder m;
  m.input("x", {16, 16});
  m.node("Exp", {"x"}, {"a"});
  m.node("MatMul", {"a", "a"}, {"product"});
  m.node("Add", {"a", "product"}, {"sum"});
  const test::StepInOrders step(m.output("sum").build());
  EXPECT_TRUE(groups_of(step, "dataflow").empty());
  IdRows<FusedGroupId, NodeId> both_ends;
  both_ends.start_row();
  for (const NodeId node : {NodeId(0), NodeId(2)}) both_ends.push(node);
  EXPECT_FALSE(has_order(step.dataflow.topology, make_groups(3, both_ends)));
}

TEST(Fusions, TakeOnlyWhatRunsBlockByBlock) {
  test::ModelBuilder m;
  m.input("x", {16, 16}).input("row", {16}).weight("one", {1}, {2.0F});
  m.node("Mul", {"x", "one"}, {"scaled"});
  m.node("Add", {"scaled", "row"}, {"biased"});
  m.node("Softmax", {"biased"}, {"soft"});
  m.node("Relu", {"soft"}, {"y"});
  m.node("Neg", {"scaled"}, {"z"});
  const test::StepInOrders step(m.output("y").output("z").build());
  EXPECT_EQ(names(step, groups_of(step, "dataflow")), (Names{{"make_scaled", "make_z"}}));
}

TEST(FusedTimeline, AllocatesOnlyWhatLeavesTheGroup) {
  // Only d is live besides x while any member runs; then y.
  test::ModelBuilder m;
  m.input("x", {16, 16});
  m.node("Exp", {"x"}, {"a"}).node("Neg", {"a"}, {"b"}).node("Mul", {"a", "b"}, {"c"});
  m.node("Add", {"c", "a"}, {"d"}).node("MatMul", {"d", "d"}, {"y"}).output("y");
  const test::StepInOrders step(m.build());
  const FusedGroups groups = groups_of(step, "dataflow");
  ASSERT_EQ(groups.members[FusedGroupId(0)].size(), 4U);
  const Timeline timeline = timeline_in(step.input(), find_order("file"), groups);
  EXPECT_EQ(timeline.live_bytes, (std::vector<std::int64_t>{2048, 2048, 2048, 2048, 3072}));
  EXPECT_EQ(timeline.idle_bytes, (std::vector<std::int64_t>{1024, 2048, 2048, 2048, 2048, 2048}));
  for (const char* inner : {"a", "b", "c"}) {
    EXPECT_FALSE(timeline.buffer_of[test::id_of(*step.step.graph, inner)].valid()) << inner;
  }
  const Buffer& d = timeline.buffers[timeline.buffer_of[test::id_of(*step.step.graph, "d")]];
  EXPECT_EQ(d.first_slot, 0U);
  EXPECT_EQ(d.last_slot, 4U);
}

TEST(FusedTimeline, AnOutputTakesThePlaceOfAnInputThatIsReadBeforeIt) {
  const test::StepInOrders step(chain().build());
  const FusedGroups groups = groups_of(step, "dataflow");
  const Timeline timeline = timeline_in(step.input(), find_order("file"), groups);
  const Graph& graph = *step.step.graph;
  EXPECT_EQ(timeline.buffer_of[test::id_of(graph, "c")],
            timeline.buffer_of[test::id_of(graph, "t")]);
  EXPECT_EQ(timeline.live_bytes, (std::vector<std::int64_t>{2048, 2048, 2048, 2048, 3072}));
}

TEST(FusedTimeline, AnInputThatIsReadBehindTheOutputKeepsItsPlace) {
  test::ModelBuilder m;
  m.input("x", {16, 16});
  m.node("Transpose", {"x"}, {"t"});
  m.node("Exp", {"t"}, {"early"}).node("Add", {"early", "t"}, {"late"});
  m.node("MatMul", {"early", "late"}, {"y"});
  const test::StepInOrders step(m.output("y").build());
  const FusedGroups groups = groups_of(step, "dataflow");
  const Timeline timeline = timeline_in(step.input(), find_order("file"), groups);
  const auto home = [&](const char* name) {
    return timeline.buffer_of[test::id_of(*step.step.graph, name)];
  };
  EXPECT_NE(home("early"), home("t"));
  EXPECT_EQ(home("late"), home("t"));
}

Graph random_graph(std::uint32_t seed, int nodes) {
  std::mt19937 random(seed);
  test::ModelBuilder m;
  m.input("v0", {16, 16});
  for (int i = 1; i <= nodes; ++i) {
    const auto pick = [&] { return "v" + std::to_string(random() % static_cast<unsigned>(i)); };
    const std::string name = "v" + std::to_string(i);
    if (random() % 3 == 0) {
      m.node("MatMul", {pick(), pick()}, {name});
    } else if (random() % 2 == 0) {
      m.node("Tanh", {pick()}, {name});
    } else {
      m.node("Add", {pick(), pick()}, {name});
    }
    if (random() % 10 == 0) m.output(name);
  }
  return m.output("v" + std::to_string(nodes)).build();
}

/// Expects producers before readers, and the members of each group adjacent.
void expect_kept_together(const test::StepInOrders& step, const FusedGroups& groups,
                          const std::vector<NodeId>& order) {
  ASSERT_EQ(order.size(), step.dataflow.topology.nodes());
  IdVector<NodeId, std::size_t> position(order.size(), order.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  for (const NodeId node : order) {
    for (const ValueId input : step.dataflow.topology.inputs[node]) {
      const NodeId producer = step.dataflow.topology.producer[input];
      if (producer.valid()) {
        EXPECT_LT(position[producer], position[node]);
      }
    }
  }
  for (const FusedGroupId group : IdRange<FusedGroupId>(groups.members.size())) {
    const auto members = groups.members[group];
    EXPECT_EQ(position[members.back()] - position[members.front()], members.size() - 1);
  }
}

TEST(AcyclicGroups, TakeExactlyTheMergesThatKeepAnOrder) {
  int taken = 0;
  int refused = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const test::StepInOrders step(random_graph(seed, 30));
    const OrderInput order_input = step.input();
    const FusionEdits edits;
    const FusionInput input{order_input, find_order("file"), edits};
    const FusableNodes nodes(input);
    const Topology& topology = step.dataflow.topology;
    AcyclicGroups groups(nodes, topology);
    std::vector<Merge> merges;
    std::mt19937 random(seed);
    for (int i = 0; i < 60; ++i) {
      const NodeId a(random() % topology.nodes());
      const NodeId b(random() % topology.nodes());
      GroupBuilder builder(nodes, topology);
      for (const auto& [x, y] : merges) builder.merge(x, y);
      const bool has_an_order = builder.merge(a, b) && has_order(topology, builder.groups());
      ASSERT_EQ(groups.merge(a, b), has_an_order) << seed << ", merge " << i;
      if (has_an_order) merges.emplace_back(a, b);
      ++(has_an_order ? taken : refused);
    }
  }
  EXPECT_GT(taken, 100);
  EXPECT_GT(refused, 100);
}

TEST(Fusions, StayTogetherInEveryOrderOfRandomGraphs) {
  for (std::uint32_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    const test::StepInOrders step(random_graph(seed, 40));
    for (const FusionStrategy& fusion : fusion_strategies()) {
      for (const OrderStrategy& order : order_strategies()) {
        if (order.kind == OrderKind::search) continue;
        SCOPED_TRACE(std::string(fusion.name) + ", " + std::string(order.name));
        const FusedGroups groups = groups_of(step, fusion.name, {}, order.name);
        EXPECT_TRUE(has_order(step.dataflow.topology, groups));
        const Timeline timeline = timeline_in(step.input(), order, groups);
        expect_kept_together(step, groups, timeline.order);
        EXPECT_EQ(timeline.peak_bytes, *std::ranges::max_element(timeline.live_bytes));
        if (fusion.name == "memory-aware") {
          EXPECT_LE(timeline.peak_bytes, step.timeline(order.name).peak_bytes);
        }
      }
    }
  }
}

TEST(Fusions, AnUnknownNameListsTheKnownOnes) {
  try {
    find_fusion("everything");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("memory-aware"), std::string::npos);
  }
}

}  // namespace fusions_test
}  // namespace stashscope
