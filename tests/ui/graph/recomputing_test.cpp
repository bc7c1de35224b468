// Plans of a node or a group, switched on from the graph, and pinned nodes.

#include "core/onnx/model_file.h"
#include "core/study/edits/node_edits.h"
#include "tests/support/model_builder.h"
#include "tests/ui/graph/graph_test.h"

namespace stashscope::ui::test {
namespace recomputing_test {

using namespace Qt::StringLiterals;

class Recomputing : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }

  PlannedNodes planned(const std::vector<NodeId>& nodes) {
    return planned_nodes(*document().study(), nodes);
  }
  NodeId plannable() {
    return find_node([this](NodeId node) { return !planned({node}).off.empty(); });
  }
};

TEST_F(Recomputing, OneNodeByItsKeyAndBack) {
  const NodeId node = plannable();
  const std::int64_t before = peak();
  go_to(node);
  press(Qt::Key_R);
  ASSERT_TRUE(settles());
  EXPECT_EQ(planned({node}).on, std::vector<NodeId>{node});
  EXPECT_EQ(document().study()->applied.size(), 1U);
  press(Qt::Key_R);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(planned({node}).on.empty());
  EXPECT_EQ(peak(), before);
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(planned({node}).on, std::vector<NodeId>{node}) << "it can be undone";
}

TEST_F(Recomputing, AGroupByTheMouse) {
  std::uint32_t group = 0;
  const auto& boxes = scene().drawing().boxes;
  while (boxes[group].is_open() ||
         boxes[group].stash[static_cast<std::size_t>(StashState::plannable)] == 0) {
    ++group;
  }
  choose(menu_at(place_of_box(group)), u"recompute"_s);
  ASSERT_TRUE(settles());
  const PlannedNodes after = planned(document().selection().nodes());
  EXPECT_FALSE(after.on.empty());
  EXPECT_TRUE(after.off.empty());
}

TEST_F(Recomputing, ABackwardGroupStandsForItsForwardNodes) {
  const auto& boxes = scene().drawing().boxes;
  std::uint32_t group = 0;
  const auto is_wanted = [&](const layout::DrawnBox& box) {
    return box.shows.group.valid() && !box.is_open() && box.shows.side == layout::Side::backward;
  };
  while (group < boxes.size() && !is_wanted(boxes[group])) ++group;
  ASSERT_LT(group, boxes.size());
  view().center_on(to_qt(boxes[group].rect.center()));
  QMenu& menu = menu_at(place_of_box(group));
  EXPECT_TRUE(planned(document().selection().nodes()).off.empty()) << "no plans of its own";
  EXPECT_TRUE(menu.findChild<QAction*>(u"show_plan_row"_s) != nullptr ||
              find<QAction>(u"show_plan_row"_s).isEnabled());
  choose(menu, u"recompute"_s);
  ASSERT_TRUE(settles());
  EXPECT_GT(document().study()->applied.size(), 0U);
}

TEST_F(Recomputing, APinnedNodeKeepsItsOutputThoughItsPlanIsOn) {
  choose_entry(u"level"_s, 1);
  ASSERT_TRUE(settles());
  const NodeId node = find_node([this](NodeId each) { return !planned({each}).on.empty(); });
  go_to(node);
  press(Qt::Key_K);
  ASSERT_TRUE(settles());
  EXPECT_EQ(planned({node}).pinned, std::vector<NodeId>{node});
  EXPECT_EQ(scene().drawing()
                    .boxes[scene().drawing().box_of[node]]
                    .stash[static_cast<std::size_t>(StashState::pinned)] > 0,
            true);
  choose(menu_at(place_of(node)), u"pin"_s);
  ASSERT_TRUE(settles());
  EXPECT_EQ(planned({node}).on, std::vector<NodeId>{node});
}

TEST_F(Recomputing, WhatNoNameMeansIsNotPinnedAndTheReasonIsSaid) {
  GraphData data = stashscope::test::deep_perceptron(5).data();
  std::ranges::find(data.nodes, "make_layer.1.g", &Node::name)->name = "";
  data.nodes[NodeId(0)].name = "layer.1.g";
  const QString path = in_folder(u"nameless.onnx"_s);
  save_model(Graph(std::move(data)), path.toStdString());
  open(path);
  const Graph& graph = document().study()->graph();
  const auto& outputs = graph.topology().outputs;
  const NodeId node = find_node([&](NodeId each) {
    return !outputs[each].empty() && graph.value(outputs[each][0]).name == "layer.1.g";
  });
  go_to(node);
  press(Qt::Key_K);
  EXPECT_TRUE(document().choices().plans.pinned.empty());
  EXPECT_TRUE(message().contains(u"rename the node in the model"_s)) << message().toStdString();
}

TEST_F(Recomputing, NothingToRecomputeCannotBeChosen) {
  const NodeId node = find_node([this](NodeId each) {
    const PlannedNodes all = planned({each});
    return all.on.empty() && all.off.empty();
  });
  go_to(node);
  const Choices before = document().choices();
  press(Qt::Key_R);
  press(Qt::Key_K);
  EXPECT_EQ(document().choices(), before);
  QMenu& menu = menu_by_key();
  for (QAction* const action : menu.actions()) {
    if (action->objectName() == u"recompute"_s || action->objectName() == u"pin"_s) {
      EXPECT_FALSE(action->isEnabled());
    }
  }
  menu.close();
}

}  // namespace recomputing_test
}  // namespace stashscope::ui::test
