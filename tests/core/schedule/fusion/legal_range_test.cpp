#include "core/schedule/fusion/legal_range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/schedule/fusion/fusions.h"
#include "tests/support/step_in_orders.h"

namespace stashscope {
namespace legal_range_test {

Graph random_graph(std::uint32_t seed, int nodes) {
  std::mt19937 random(seed);
  test::ModelBuilder m;
  m.input("v0", {4, 4});
  for (int i = 1; i <= nodes; ++i) {
    const auto pick = [&] { return "v" + std::to_string(random() % static_cast<unsigned>(i)); };
    m.node(random() % 3 == 0 ? "MatMul" : "Add", {pick(), pick()}, {"v" + std::to_string(i)});
  }
  return m.output("v" + std::to_string(nodes)).build();
}

bool is_topological(const Topology& topology, const std::vector<NodeId>& order) {
  IdVector<ValueId, bool> is_made(topology.values(), false);
  for (const ValueId value : IdRange<ValueId>(topology.values())) {
    is_made[value] = !topology.producer[value].valid();
  }
  for (const NodeId node : order) {
    for (const ValueId input : topology.inputs[node]) {
      if (!is_made[input]) return false;
    }
    for (const ValueId output : topology.outputs[node]) is_made[output] = true;
  }
  return true;
}

bool are_groups_together(const FusedGroups& groups, const std::vector<NodeId>& order) {
  for (const FusedGroupId group : IdRange<FusedGroupId>(groups.members.size())) {
    const auto is_member = [&](NodeId node) { return groups.of(node) == group; };
    const auto first = std::find_if(order.begin(), order.end(), is_member);
    const auto behind = std::find_if_not(first, order.end(), is_member);
    if (std::any_of(behind, order.end(), is_member)) return false;
  }
  return true;
}

/// The order after a node, with its group, is moved directly before a slot.
std::vector<NodeId> moved_by_hand(const MovableOrder& order, const FusedGroups& groups, NodeId node,
                                  std::size_t before) {
  const auto moves = [&](NodeId each) {
    return each == node || (groups.of(each).valid() && groups.of(each) == groups.of(node));
  };
  std::vector<NodeId> front;
  std::vector<NodeId> moved;
  std::vector<NodeId> behind;
  for (std::size_t step = 0; step < order.nodes().size(); ++step) {
    const NodeId each = order.nodes()[step];
    (moves(each) ? moved : step < before ? front : behind).push_back(each);
  }
  front.insert(front.end(), moved.begin(), moved.end());
  front.insert(front.end(), behind.begin(), behind.end());
  return front;
}

/// Compares every obstacle with a trial of the move; returns the number of legal moves.
int expect_as_tried(const Topology& topology, const FusedGroups& groups,
                    const std::vector<NodeId>& nodes) {
  int legal = 0;
  const MovableOrder order(topology, groups, nodes);
  for (const NodeId node : nodes) {
    const LegalRange range = order.range(node);
    for (std::size_t before = 0; before <= nodes.size(); ++before) {
      const auto obstacle = order.obstacle(node, before);
      const std::vector<NodeId> tried = moved_by_hand(order, groups, node, before);
      const bool is_ordered = is_topological(topology, tried);
      const bool is_legal = is_ordered && are_groups_together(groups, tried);
      EXPECT_EQ(!obstacle, is_legal) << "node " << node.index() << " before " << before;
      const auto first = order.steps_of(node);
      const std::size_t at =
          before <= first.begin ? before : std::max(before, first.end) - first.count();
      const bool is_inside = at >= range.first && at <= range.last;
      const bool parts = obstacle && obstacle->kind == MoveObstacle::Kind::group;
      EXPECT_EQ(is_inside, is_legal || parts) << "node " << node.index() << " at " << at;
      if (!is_legal) continue;
      ++legal;
      MovableOrder moved = order;
      moved.move(node, before);
      EXPECT_EQ(moved.nodes(), tried);
      for (std::size_t step = 0; step < tried.size(); ++step) {
        EXPECT_EQ(moved.step_of(tried[step]), step);
      }
    }
  }
  return legal;
}

TEST(LegalRange, IsWhatKeepsARandomOrderValid) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const test::StepInOrders step(random_graph(seed, 20));
    for (const char* order : {"file", "breadth-first", "largest-first"}) {
      SCOPED_TRACE(order);
      const auto nodes = find_order(order).order(step.input());
      EXPECT_GT(expect_as_tried(step.dataflow.topology, {}, nodes), 20);
    }
  }
}

TEST(LegalRange, IsWhatKeepsGroupsTogetherToo) {
  std::size_t groups_seen = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const test::StepInOrders step(random_graph(seed, 20));
    for (const char* fusion : {"dataflow", "horizontal"}) {
      SCOPED_TRACE(fusion);
      const OrderInput input = step.input();
      const OrderStrategy& file = find_order("file");
      const FusedGroups groups = find_fusion(fusion).groups({input, file, {}});
      groups_seen += groups.members.size();
      const auto nodes = nodes_in(input, file, groups);
      ASSERT_TRUE(are_groups_together(groups, nodes));
      EXPECT_GT(expect_as_tried(step.dataflow.topology, groups, nodes), 0);
    }
  }
  EXPECT_GT(groups_seen, 20U);
}

/// make_a, make_b (reads a), make_c (reads x), make_d (reads b and c)
Graph diamond() {
  test::ModelBuilder m;
  m.input("x", {4});
  m.node("Relu", {"x"}, {"a"}).node("Relu", {"a"}, {"b"}).node("Relu", {"x"}, {"c"});
  return m.node("Add", {"b", "c"}, {"d"}).output("d").build();
}

TEST(LegalRange, SaysWhoIsInTheWay) {
  const test::StepInOrders step(diamond());
  const FusedGroups none;
  const MovableOrder order(step.dataflow.topology, none, find_order("file").order(step.input()));
  const NodeId b(1);
  const LegalRange range = order.range(b);
  EXPECT_EQ(range.first, 1U);
  EXPECT_EQ(range.last, 2U);
  ASSERT_TRUE(range.producer && range.reader);
  EXPECT_EQ(range.producer->node, NodeId(0));
  EXPECT_EQ(range.reader->node, NodeId(3));
  EXPECT_EQ(range.reader->step, 3U);
  EXPECT_EQ(range.reader->value, test::id_of(*step.step.graph, "b"));
  const auto too_early = order.obstacle(b, 0);
  ASSERT_TRUE(too_early);
  EXPECT_EQ(too_early->kind, MoveObstacle::Kind::producer);
  EXPECT_FALSE(order.obstacle(b, order.in_front_of(b, 2)));
  EXPECT_FALSE(order.range(NodeId(2)).producer) << "what reads inputs only may be the first";
}

}  // namespace legal_range_test
}  // namespace stashscope
