#include "core/graph/traversal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stashscope {
namespace traversal_test {

using Nodes = std::vector<NodeId>;
using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

/// Nodes with one output each, which the nodes at the ends of the edges read.
Topology topology_of(std::size_t nodes, const Edges& edges) {
  Topology topology;
  for (std::size_t node = 0; node < nodes; ++node) {
    topology.inputs.start_row();
    for (const auto& [from, to] : edges) {
      if (to == node) topology.inputs.push(ValueId(from));
    }
    topology.outputs.start_row();
    topology.outputs.push(ValueId(node));
  }
  topology.connect(nodes);
  return topology;
}

Nodes ids(const std::vector<std::size_t>& numbers) {
  Nodes nodes;
  for (const std::size_t number : numbers) nodes.push_back(NodeId(number));
  return nodes;
}

Nodes chosen(const IdVector<NodeId, bool>& marks) {
  Nodes nodes;
  for (const NodeId node : IdRange<NodeId>(marks.size())) {
    if (marks[node]) nodes.push_back(node);
  }
  return nodes;
}

TEST(TopologicalOrder, TakesTheLowestReadyNode) {
  EXPECT_EQ(topological_order(topology_of(4, {{3, 0}, {3, 1}, {1, 2}})), ids({3, 0, 1, 2}));
  EXPECT_EQ(topological_order(topology_of(3, {})), ids({0, 1, 2}));
  EXPECT_TRUE(topological_order(topology_of(0, {})).empty());
}

TEST(TopologicalOrder, AValueThatIsReadTwiceCountsOnce) {
  EXPECT_EQ(topological_order(topology_of(2, {{1, 0}, {1, 0}})), ids({1, 0}));
}

TEST(TopologicalOrder, EndsBeforeACycle) {
  const Topology topology = topology_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 2}, {3, 4}});
  EXPECT_EQ(topological_order(topology), ids({0, 1}));
  const NodeId member = find_cycle_member(topology);
  EXPECT_TRUE(member == NodeId(2) || member == NodeId(3)) << member.index();
  EXPECT_EQ(find_cycle_member(topology_of(2, {{1, 1}})), NodeId(1));
}

TEST(Reachability, IncludesTheRootsAndFollowsOneDirection) {
  const Topology topology = topology_of(5, {{0, 1}, {1, 2}, {3, 2}, {2, 4}});
  EXPECT_EQ(chosen(ancestors(topology, {NodeId(2)})), ids({0, 1, 2, 3}));
  EXPECT_EQ(chosen(descendants(topology, {NodeId(1)})), ids({1, 2, 4}));
  EXPECT_TRUE(chosen(ancestors(topology, {})).empty());
  EXPECT_EQ(chosen(descendants(topology, ids({4, 3}))), ids({2, 3, 4}));
}

TEST(TopologicalOrder, OfAnyGraphPutsProducersFirst) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    const std::size_t nodes = 1 + random() % 60;
    std::vector<std::size_t> rank(nodes);
    for (std::size_t i = 0; i < nodes; ++i) rank[i] = i;
    std::shuffle(rank.begin(), rank.end(), random);
    Edges edges;
    for (std::size_t i = random() % (2 * nodes); i > 0; --i) {
      const std::size_t a = random() % nodes;
      const std::size_t b = random() % nodes;
      if (rank[a] < rank[b]) edges.emplace_back(a, b);
    }
    const Nodes order = topological_order(topology_of(nodes, edges));
    ASSERT_EQ(order.size(), nodes);
    std::vector<std::size_t> place(nodes);
    for (std::size_t i = 0; i < nodes; ++i) place[order[i].index()] = i;
    for (const auto& [from, to] : edges) EXPECT_LT(place[from], place[to]);
  }
}

TEST(Traversal, ALongChainNeedsNoDeepStack) {
  Topology topology;
  constexpr std::size_t nodes = 300000;
  for (std::size_t node = 0; node < nodes; ++node) {
    topology.inputs.start_row();
    if (node > 0) topology.inputs.push(ValueId(node - 1));
    topology.outputs.start_row();
    topology.outputs.push(ValueId(node));
  }
  topology.connect(nodes);
  EXPECT_EQ(topological_order(topology).size(), nodes);
  EXPECT_EQ(chosen(ancestors(topology, {NodeId(nodes - 1)})).size(), nodes);
  EXPECT_EQ(chosen(descendants(topology, {NodeId(0)})).size(), nodes);
}

}  // namespace traversal_test
}  // namespace stashscope
