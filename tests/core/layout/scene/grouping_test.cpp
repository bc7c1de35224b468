#include "core/layout/scene/grouping.h"

#include <gtest/gtest.h>

#include "core/graph/node_path.h"
#include "core/layout/scene/group_tree.h"
#include "core/onnx/captured_step_reader.h"
#include "core/report/graph_picture.h"
#include "tests/support/captured_model.h"
#include "tests/support/named_model.h"

namespace stashscope::layout {
namespace grouping_test {

std::optional<GroupId> find_group(const Grouping& grouping, const std::string& path) {
  for (const GroupId id : IdRange<GroupId>(grouping.groups.size())) {
    if (grouping.groups[id].path == path) return id;
  }
  return std::nullopt;
}

std::vector<std::string> labels_in(const Grouping& grouping, GroupId group) {
  std::vector<std::string> labels;
  for (const GroupId inner : grouping.groups[group].groups) {
    labels.push_back(grouping.groups[inner].label);
  }
  return labels;
}

/// Checks the invariants of every grouping.
void expect_a_tree(const Grouping& grouping, std::size_t nodes) {
  ASSERT_EQ(grouping.group_of.size(), nodes);
  std::vector<int> seen(nodes, 0);
  std::set<std::string> paths;
  for (const GroupId id : IdRange<GroupId>(grouping.groups.size())) {
    const Group& group = grouping.groups[id];
    EXPECT_TRUE(paths.insert(group.path).second) << "two groups are '" << group.path << "'";
    EXPECT_EQ(group.parent.valid(), id != grouping.root());
    if (group.parent.valid()) {
      EXPECT_LT(group.parent, id);
      const auto& siblings = grouping.groups[group.parent].groups;
      EXPECT_EQ(std::count(siblings.begin(), siblings.end(), id), 1);
    }
    EXPECT_TRUE(std::is_sorted(group.nodes.begin(), group.nodes.end()));
    EXPECT_FALSE(group.nodes.empty() && group.groups.empty() && nodes > 0) << group.path;
    for (const NodeId node : group.nodes) {
      EXPECT_EQ(grouping.group_of[node], id);
      ++seen[node.index()];
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(nodes));
}

/// A captured step whose optimizer changes its parameter this often.
Graph captured_step_with_updates(int updates) {
  GraphData data = test::captured_data();
  for (int i = 1; i < updates; ++i) {
    Node update = data.nodes[NodeId(data.nodes.size() - 1)];
    update.name = "update_" + std::to_string(i);
    update.inputs[0] = update.outputs[0];
    const TensorType type = data.values[update.outputs[0]].type;
    update.outputs[0] = data.add_value("w." + std::to_string(i + 1), type);
    data.nodes.push_back(update);
  }
  data.nodes_in_file = data.nodes.size();
  const std::string end = std::to_string(data.nodes.size());
  data.metadata["stashscope.storages"] =
      R"({"bytes": [16, 16, 64, 4, 4, 16],
          "role": ["parameter", "input", "other", "other", "other", "gradient"], "last": [)" +
      end + ", " + end + ", 4, " + end + ", 4, " + end + "]}";
  read_captured_step(data);
  return Graph(std::move(data));
}

TEST(Grouping, FollowsTheModulesInTheNames) {
  const auto study = test::study_of(test::named(test::blocks(3)));
  const Grouping grouping = grouping_of(*study);
  expect_a_tree(grouping, study->graph().nodes().size());
  EXPECT_EQ(labels_in(grouping, grouping.root()), (std::vector<std::string>{"h.0", "h.1", "h.2"}));
  const auto block = find_group(grouping, "/model/h.1");
  ASSERT_TRUE(block);
  EXPECT_TRUE(grouping.groups[*block].is_layer);
  EXPECT_EQ(labels_in(grouping, *block), (std::vector<std::string>{"attn", "mlp"}));
  const NodeId gelu = *study->graph().find_node("/model/h.1/mlp/Gelu");
  EXPECT_EQ(grouping.groups[grouping.group_of[gelu]].label, "mlp");
}

/// The same model as written by an exporter that numbers the nodes and puts the modules into the
/// metadata of the nodes.
Graph with_flat_names(const Graph& model) {
  GraphData data = model.data();
  int number = 0;
  for (Node& node : data.nodes) {
    node.origin = std::make_shared<const NodeOrigin>(NodeOrigin{path_of(node).scope, "", 0});
    node.name = "node_" + std::to_string(number++);
  }
  return Graph(std::move(data));
}

TEST(Grouping, FollowsTheModulesInTheMetadata) {
  const auto named = test::study_of(test::named(test::blocks(3)));
  const auto flat =
      test::study_of(std::make_shared<const Graph>(with_flat_names(*test::named(test::blocks(3)))));
  const Grouping by_name = grouping_of(*named);
  const Grouping by_metadata = grouping_of(*flat);
  expect_a_tree(by_metadata, flat->graph().nodes().size());
  ASSERT_EQ(by_metadata.groups.size(), by_name.groups.size());
  for (const GroupId id : IdRange<GroupId>(by_name.groups.size())) {
    EXPECT_EQ(by_metadata.groups[id].path, by_name.groups[id].path);
    EXPECT_EQ(by_metadata.groups[id].nodes, by_name.groups[id].nodes) << "backward included";
  }
}

TEST(Grouping, GradientNodesLieBesideTheirForwardNodes) {
  const auto study = test::study_of(test::named(test::blocks(2)));
  const Grouping grouping = grouping_of(*study);
  std::size_t partners = 0;
  for (const NodeId node : IdRange<NodeId>(study->graph().nodes().size())) {
    EXPECT_EQ(grouping.side[node] == Side::forward, study->opportunities->is_forward(node));
    const NodeId partner = grouping.partner[node];
    if (!partner.valid()) continue;
    ++partners;
    EXPECT_EQ(grouping.side[node], Side::backward);
    EXPECT_EQ(grouping.side[partner], Side::forward);
    EXPECT_EQ(grouping.group_of[node], grouping.group_of[partner])
        << study->graph().node(node).name;
    EXPECT_EQ(study->graph().node(node).name.find(study->graph().node(partner).name), 0U);
  }
  EXPECT_GE(partners, 12U) << "one for each forward node of the blocks at least";
}

TEST(Grouping, OfAForwardGraphGoesByNames) {
  test::ModelBuilder m;
  m.input("x", {4, 4}).node("Relu", {"x"}, {"a"}).node("ReluGrad", {"a", "x"}, {"b"}).output("b");
  const Graph graph = m.build();
  const auto side = sides_of(graph, {});
  EXPECT_EQ(side[NodeId(0)], Side::forward);
  EXPECT_EQ(side[NodeId(1)], Side::backward);
}

TEST(Grouping, OfACapturedOptimizerIsOneBox) {
  const Graph step = captured_step_with_updates(100);
  const Grouping grouping = make_grouping(step, sides_of(step, {}));
  expect_a_tree(grouping, step.nodes().size());
  const auto optimizer = find_group(grouping, "//optimizer");
  ASSERT_TRUE(optimizer);
  EXPECT_EQ(grouping.groups[*optimizer].parent, grouping.root());
  EXPECT_EQ(name_of(grouping.groups[*optimizer]), "optimizer");
  EXPECT_EQ(initially_open(grouping), OpenGroups{grouping.root()});
  EXPECT_EQ(grouping.groups[grouping.root()].nodes.size(), 5U) << "forward and backward";
}

TEST(Grouping, OfNothingIsTheRoot) {
  test::ModelBuilder m;
  m.input("x", {4}).output("x");
  const Grouping grouping = make_grouping(m.build(), {});
  expect_a_tree(grouping, 0);
  EXPECT_EQ(grouping.groups.size(), 1U);
  EXPECT_EQ(initially_open(grouping), OpenGroups{grouping.root()});
}

TEST(Grouping, ANamelessNodeJoinsTheModuleAroundIt) {
  test::ModelBuilder m;
  m.input("x", {4, 4});
  std::string last = "x";
  for (const char* name : {"/a.0/p", "/a.0/q", "Fused", "/a.0/r", "/a.1/p", "/a.1/q", "/a.1/r"}) {
    m.node("Tanh", {last}, {name});
    last = name;
  }
  const auto graph = test::named(m.output(last));
  const Grouping grouping =
      make_grouping(*graph, IdVector<NodeId, Side>(graph->nodes().size(), Side::forward));
  expect_a_tree(grouping, 7);
  EXPECT_EQ(grouping.groups[grouping.group_of[NodeId(2)]].label, "a.0");
  EXPECT_EQ(labels_in(grouping, grouping.root()), (std::vector<std::string>{"a.0", "a.1"}));
}

/// A chain of `count` nodes with names without a path.
std::shared_ptr<const Graph> chain(int count) {
  test::ModelBuilder m;
  m.input("v0", {4, 4});
  for (int i = 0; i < count; ++i) {
    m.node("Tanh", {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)});
  }
  return test::named(m.output("v" + std::to_string(count)));
}

TEST(Grouping, RunsWithoutNamesAreCutIntoPieces) {
  for (const int count : {1, 40, 41, 1000, 20000}) {
    const auto graph = chain(count);
    const Grouping grouping =
        make_grouping(*graph, IdVector<NodeId, Side>(graph->nodes().size(), Side::forward));
    expect_a_tree(grouping, graph->nodes().size());
    for (const Group& group : grouping.groups) {
      EXPECT_LE(group.groups.size() + group.nodes.size(), 96U) << count;
      // Each new group holds consecutive nodes of the chain.
      if (!group.nodes.empty()) {
        EXPECT_EQ(group.nodes.back().index() - group.nodes.front().index() + 1, group.nodes.size());
      }
    }
  }
}

TEST(Grouping, PartsHaveNumberedNamesWithoutSlashesInFront) {
  const auto graph = chain(100);
  const Grouping grouping =
      make_grouping(*graph, IdVector<NodeId, Side>(graph->nodes().size(), Side::forward));
  const auto& parts = grouping.groups[grouping.root()].groups;
  ASSERT_GE(parts.size(), 2U);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Group& part = grouping.groups[parts[i]];
    const std::string number = "part " + std::to_string(i + 1) + ": ";
    EXPECT_EQ(part.label.find(number), 0U) << part.label;
    EXPECT_EQ(name_of(part), part.label);
  }
  EXPECT_EQ(name_of({"/h.0/attn", "attn", {}, {}, {}, false}), "h.0/attn");
  EXPECT_EQ(name_of({"/h.0//part 2", "part 2: Cast … Add", {}, {}, {}, false}),
            "h.0/part 2: Cast … Add");
}

TEST(Grouping, PathsStayUniqueWithHostileNames) {
  test::ModelBuilder m;
  m.input("v0", {4, 4});
  for (int i = 0; i < 200; ++i) {
    m.node("Tanh", {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)});
  }
  for (int i = 0; i < 40; ++i) {
    m.node("Relu", {"v0"}, {"/part " + std::to_string(i % 10 + 1) + "/n" + std::to_string(i)});
  }
  const auto graph = test::named(m.output("v200"));
  const Grouping grouping =
      make_grouping(*graph, IdVector<NodeId, Side>(graph->nodes().size(), Side::forward));
  expect_a_tree(grouping, 240);
}

TEST(Grouping, OfRandomGraphsIsATreeAndAlwaysTheSame) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto study =
        test::study_of(test::named(test::random_model(seed, 20 + 15 * static_cast<int>(seed))));
    const Grouping grouping = grouping_of(*study);
    expect_a_tree(grouping, study->graph().nodes().size());
    const Grouping again = grouping_of(*study);
    EXPECT_EQ(again.group_of, grouping.group_of) << seed;
    EXPECT_EQ(again.partner, grouping.partner) << seed;
  }
}

TEST(InitiallyOpen, ShowsTheLayersClosedAndFitsOneScreen) {
  const auto study = test::study_of(test::named(test::blocks(6)));
  const Grouping grouping = grouping_of(*study);
  const OpenGroups open = initially_open(grouping);
  EXPECT_EQ(open, OpenGroups{grouping.root()});
  EXPECT_EQ(labels_in(grouping, grouping.root()).size(), 6U);
}

TEST(InitiallyOpen, OpensWhatHoldsTheLayers) {
  test::ModelBuilder m;
  m.input("x", {4, 4});
  std::string last = "x";
  for (const std::string half : {"encoder", "decoder"}) {
    for (int layer = 0; layer < 4; ++layer) {
      for (const char* op : {"p", "q", "r"}) {
        const std::string name = "/" + half + "/layer." + std::to_string(layer) + "/" + op;
        m.node("Tanh", {last}, {name});
        last = name;
      }
    }
  }
  const auto graph = test::named(m.output(last));
  const Grouping grouping =
      make_grouping(*graph, IdVector<NodeId, Side>(graph->nodes().size(), Side::forward));
  const auto encoder = find_group(grouping, "/encoder");
  const auto decoder = find_group(grouping, "/decoder");
  ASSERT_TRUE(encoder && decoder);
  EXPECT_EQ(initially_open(grouping), (OpenGroups{grouping.root(), *encoder, *decoder}));
  EXPECT_FALSE(grouping.groups[*encoder].is_layer);
}

TEST(GroupTree, KeepsOneGroupForAScope) {
  GroupTree tree;
  const std::size_t inner = tree.at({"a", "b"});
  EXPECT_EQ(tree.at({"a", "b"}), inner);
  EXPECT_EQ(tree.at({}), GroupTree::root);
  EXPECT_EQ(tree[inner].path, "/a/b");
}

TEST(GroupTree, DissolvingLosesNothing) {
  GroupTree tree;
  const std::size_t outer = tree.at({"a"});
  const std::size_t inner = tree.at({"a", "b"});
  tree[outer].nodes = {NodeId(1)};
  tree[inner].nodes = {NodeId(2)};
  tree.dissolve(outer);
  EXPECT_EQ(tree[GroupTree::root].nodes, std::vector<NodeId>{NodeId(1)});
  EXPECT_EQ(tree[GroupTree::root].children, std::vector<std::size_t>{inner});
  EXPECT_EQ(tree[inner].parent, GroupTree::root);
  EXPECT_EQ(tree.all_nodes(GroupTree::root).size(), 2U);
  EXPECT_EQ(tree.bottom_up(), (std::vector<std::size_t>{inner, GroupTree::root}));
}

TEST(GroupTree, MovedGroupsHaveOneParent) {
  GroupTree tree;
  const std::size_t moved = tree.at({"a", "b"});
  const std::size_t target = tree.at({"c"});
  tree.move(moved, target);
  EXPECT_TRUE(tree[tree.at({"a"})].children.empty());
  EXPECT_EQ(tree[target].children, std::vector<std::size_t>{moved});
}

}  // namespace grouping_test
}  // namespace stashscope::layout
