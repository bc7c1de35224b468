#include "core/schedule/orders/orders.h"

#include <gtest/gtest.h>

#include <random>

#include "core/base/error.h"
#include "core/recompute/apply.h"
#include "core/schedule/orders/strategies.h"
#include "tests/support/step_in_orders.h"

namespace stashscope {
namespace orders_test {

/// Expects every node once, and producers before readers.
void expect_valid(const Topology& topology, const std::vector<NodeId>& order) {
  ASSERT_EQ(order.size(), topology.nodes());
  std::vector<std::size_t> position(order.size(), order.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i].index()] = i;
  for (const NodeId node : IdRange<NodeId>(topology.nodes())) {
    ASSERT_LT(position[node.index()], order.size());
    for (const ValueId input : topology.inputs[node]) {
      const NodeId producer = input.valid() ? topology.producer[input] : NodeId();
      if (producer.valid()) {
        EXPECT_LT(position[producer.index()], position[node.index()]);
      }
    }
  }
}

Graph random_graph(std::uint32_t seed, int nodes) {
  std::mt19937 random(seed);
  test::ModelBuilder m;
  m.input("v0", {4});
  for (int i = 1; i <= nodes; ++i) {
    const auto pick = [&] { return "v" + std::to_string(random() % static_cast<unsigned>(i)); };
    m.node("Add", {pick(), pick()}, {"v" + std::to_string(i)});
  }
  return m.output("v" + std::to_string(nodes)).build();
}

TEST(Orders, AreTopologicalOnRandomGraphs) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const Graph graph = random_graph(seed, 40);
    const test::StepInOrders step(graph);
    for (const OrderStrategy& strategy : order_strategies()) {
      SCOPED_TRACE(strategy.name);
      expect_valid(step.dataflow.topology, strategy.order(step.input()));
    }
  }
}

TEST(Orders, FileOrderIsTheFiles) {
  const test::StepInOrders step(random_graph(3, 20));
  const auto order = find_order("file").order(step.input());
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i].index(), i);
}

TEST(Orders, ReferencePrefersShapeThenForwardThenTheLowestId) {
  test::ModelBuilder m;
  m.input("x", {4});
  m.node("Relu", {"x"}, {"late"});                                // 0: not needed before the yield
  m.node("Relu", {"x"}, {"out"});                                 // 1
  m.node("Shape", {"x"}, {"dims"});                               // 2
  m.node("YieldOp", {"out"}, {"out_grad"}, {}, "com.microsoft");  // 3
  m.node("Mul", {"late", "out_grad"}, {"grad"});                  // 4
  m.output("grad").output("dims");
  const Graph graph = m.build();
  const auto order = reference_order(graph, Dataflow(graph), {NodeId(3)});
  EXPECT_EQ(order, (std::vector<NodeId>{NodeId(2), NodeId(1), NodeId(3), NodeId(0), NodeId(4)}));
}

TEST(Orders, ClonesRunRightBeforeTheyAreNeeded) {
  const test::StepInOrders step(prepare_training_step(test::perceptron().build(), {}));
  const Graph& graph = *step.step.graph;
  const Opportunities found = find_opportunities(graph, step.ops, step.step.boundary, {1, false});
  const RecomputeConfig all = config_of_all(found, true);
  const Dataflow dataflow = apply_plans(graph, step.ops, found, select_plans(found, all));
  ASSERT_GT(dataflow.cloned_nodes.size(), 0U);
  for (const OrderStrategy& strategy : order_strategies()) {
    SCOPED_TRACE(strategy.name);
    const auto order = strategy.order(step.input(dataflow));
    expect_valid(dataflow.topology, order);
    const auto yield_at = std::find(order.begin(), order.end(), step.step.boundary.yield);
    for (auto at = order.begin(); at != order.end(); ++at) {
      if (dataflow.is_clone(*at)) {
        EXPECT_GT(at, yield_at);
      }
    }
  }
}

TEST(Orders, AnUnknownNameListsTheKnownOnes) {
  try {
    find_order("fastest");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("breadth-first"), std::string::npos);
  }
}

}  // namespace orders_test
}  // namespace stashscope
