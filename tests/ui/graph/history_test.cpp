// Walks back and forward through what was selected.

#include <QDockWidget>

#include "tests/ui/graph/graph_test.h"
#include "ui/document/selection_history.h"

namespace stashscope::ui::test {
namespace history_test {

using namespace Qt::StringLiterals;

class Histories : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }

  LinkedSelection& selection() { return document().selection(); }
  QAction& action(const QString& name) { return find<QAction>(name); }
  void back() { press(Qt::Key_Left, Qt::AltModifier); }
  void forward() { press(Qt::Key_Right, Qt::AltModifier); }
  void press_mouse(Qt::MouseButton button) {
    QTest::mouseClick(&view(), button, {}, view().rect().center());
  }
};

TEST_F(Histories, BackAndForwardWalkThroughNodesAndGroups) {
  EXPECT_FALSE(action(u"back"_s).isEnabled());
  selection().select_node(NodeId(5));
  selection().select_nodes({NodeId(7), NodeId(8)}, u"two"_s, 30);
  selection().select_node(NodeId(11));
  selection().clear();
  selection().select_node(NodeId(11));
  EXPECT_FALSE(action(u"forward"_s).isEnabled());
  back();
  EXPECT_EQ(selection().nodes(), (std::vector{NodeId(7), NodeId(8)}));
  EXPECT_EQ(selection().title(), u"two"_s);
  EXPECT_EQ(selection().slot(), 30U);
  back();
  EXPECT_EQ(selection().node(), NodeId(5));
  EXPECT_EQ(selection().slot(), selection().slot_of(NodeId(5)));
  EXPECT_FALSE(action(u"back"_s).isEnabled());
  forward();
  forward();
  EXPECT_EQ(selection().node(), NodeId(11));
  EXPECT_FALSE(action(u"forward"_s).isEnabled());
}

TEST_F(Histories, ANewSelectionEndsTheWayForward) {
  for (const std::size_t node : {3, 4, 5}) selection().select_node(NodeId(node));
  back();
  back();
  selection().select_node(NodeId(9));
  EXPECT_FALSE(action(u"forward"_s).isEnabled());
  back();
  EXPECT_EQ(selection().node(), NodeId(3));
}

TEST_F(Histories, BackOpensTheGroupsThatHideTheNode) {
  const NodeId hidden = find_node([this](NodeId node) { return !is_shown(node); });
  go_to(hidden);
  selection().select_node(NodeId(hidden.index() + 1));
  window().graph().close_groups();
  ASSERT_TRUE(settles());
  ASSERT_FALSE(is_shown(hidden));
  back();
  ASSERT_TRUE(settles());
  EXPECT_EQ(selection().node(), hidden);
  EXPECT_TRUE(is_shown(hidden));
}

TEST_F(Histories, StepsOfTheMemoryCursorCountAsOneSelection) {
  selection().select_node(NodeId(5));
  for (const std::size_t slot : {40, 41, 42, 43}) selection().select_slot(slot);
  back();
  EXPECT_EQ(selection().node(), NodeId(5));
  forward();
  EXPECT_EQ(selection().slot(), 43U);
}

TEST_F(Histories, TheButtonsAtTheSideOfTheMouseWalkToo) {
  selection().select_node(NodeId(5));
  selection().select_node(NodeId(6));
  press_mouse(Qt::BackButton);
  EXPECT_EQ(selection().node(), NodeId(5));
  press_mouse(Qt::ForwardButton);
  EXPECT_EQ(selection().node(), NodeId(6));
}

TEST_F(Histories, TheButtonsAtTheSideOfTheMouseWorkOverAFloatingPanel) {
  selection().select_node(NodeId(5));
  selection().select_node(NodeId(6));
  auto& dock = find<QDockWidget>(u"memory_dock"_s);
  dock.setFloating(true);
  QTest::mouseClick(dock.widget(), Qt::BackButton);
  EXPECT_EQ(selection().node(), NodeId(5));
}

TEST_F(Histories, TheOldestSelectionsAreForgotten) {
  const std::size_t most = SelectionHistory::most_places;
  for (std::size_t i = 0; i < most + 5; ++i) selection().select_node(NodeId(i % 50));
  for (std::size_t i = 0; i + 1 < most; ++i) back();
  EXPECT_FALSE(action(u"back"_s).isEnabled());
  EXPECT_EQ(selection().node(), NodeId(5));
}

TEST_F(Histories, AnotherModelHasAHistoryOfItsOwn) {
  selection().select_node(NodeId(5));
  selection().select_node(NodeId(6));
  open(sample(u"lenet"_s));
  EXPECT_FALSE(action(u"back"_s).isEnabled());
  back();
  EXPECT_FALSE(selection().node().valid());
}

TEST_F(Histories, APlanKeepsTheNodesOfTheModel) {
  selection().select_node(NodeId(5));
  selection().select_node(NodeId(6));
  click_check_box(plans(), 0, 0);
  ASSERT_TRUE(settles());
  while (action(u"back"_s).isEnabled()) back();
  EXPECT_EQ(selection().node(), NodeId(5));
  EXPECT_EQ(selection().slot(), selection().slot_of(NodeId(5)));
}

}  // namespace history_test
}  // namespace stashscope::ui::test
