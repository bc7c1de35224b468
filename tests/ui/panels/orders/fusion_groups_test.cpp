// Fused groups that are split and moved, and the list of edits, through the panel's widgets.

#include "tests/ui/panels/orders/orders_test.h"

namespace stashscope::ui::test {
namespace fusion_groups_test {

using namespace Qt::StringLiterals;

TEST_F(OrderAndFusion, DeleteTakesANodeOutOfItsGroup) {
  choose_fusion("dataflow");
  const int group = large_group(3);
  const std::string name = member_name(group, 0);
  const std::string other = member_name(group, 1);
  ASSERT_TRUE(are_together(name, other));
  click_member(group, 0);
  EXPECT_EQ(node_text(study(), document().selection().node()).toStdString(), name);
  press(Qt::Key_Delete);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().fusion.alone, std::set<std::string>{name});
  EXPECT_FALSE(are_together(name, other));
}

TEST_F(OrderAndFusion, AGroupIsSplitBeforeAMember) {
  choose_fusion("dataflow");
  const int group = large_group(3);
  const std::string in_front = member_name(group, 1);
  const std::string behind = member_name(group, 2);
  click_member(group, 0);
  EXPECT_FALSE(find<QAction>(u"group_split"_s).isEnabled()) << "nothing is in front of the first";
  click_member(group, 2);
  click(find<QWidget>(u"group_split_button"_s));
  ASSERT_TRUE(settles());
  EXPECT_FALSE(are_together(in_front, behind));
}

TEST_F(OrderAndFusion, TwoNodesAreKeptApart) {
  choose_fusion("dataflow");
  const int group = large_group(2);
  const std::string a = member_name(group, 0);
  const std::string b = member_name(group, 1);
  click_member(group, 0);
  EXPECT_FALSE(find<QAction>(u"group_keep_apart"_s).isEnabled());
  click_member(group, 1, Qt::ControlModifier);
  press(Qt::Key_A, Qt::AltModifier);
  ASSERT_TRUE(settles());
  ASSERT_EQ(document().choices().fusion.apart.size(), 1U);
  EXPECT_FALSE(are_together(a, b));
}

TEST_F(OrderAndFusion, AGroupIsMovedAsOneAndAStepInsideAnotherIsRefused) {
  choose_fusion("dataflow");
  show_tab(steps_tab);
  const MovableOrder movable = movable_order(study());
  for (std::size_t row = 0; row < order().size(); ++row) {
    const auto [begin, end] = movable.steps_of(order()[row]);
    const LegalRange range = movable.range(order()[row]);
    if (end - begin < 2 || range.last == begin) continue;
    const std::vector<NodeId> group(order().begin() + static_cast<long>(begin),
                                    order().begin() + static_cast<long>(end));
    const std::size_t before = movable.steps_of(order()[end]).end;
    if (movable.obstacle(group[0], before)) continue;
    click_cell(steps(), static_cast<int>(row), StepModel::node);
    press(Qt::Key_Down, Qt::AltModifier | Qt::ShiftModifier);
    ASSERT_TRUE(settles());
    const std::size_t first = before - group.size();
    for (std::size_t i = 0; i < group.size(); ++i) EXPECT_EQ(order()[first + i], group[i]);
    return;
  }
  FAIL() << "no group can be moved";
}

TEST_F(OrderAndFusion, EditsAreListedAndRemovedByKeyOrButton) {
  choose_fusion("dataflow");
  click_member(large_group(3), 1);
  press(Qt::Key_Delete);
  ASSERT_TRUE(settles());
  show_tab(steps_tab);
  click_cell(steps(), movable_row(), StepModel::node);
  click(find<QWidget>(u"step_later_button"_s));
  ASSERT_TRUE(settles());
  auto& tabs = find<QTabWidget>(u"orders_panel"_s);
  EXPECT_TRUE(tabs.tabText(edits_tab).contains(u"(2)"_s));
  show_tab(edits_tab);
  ASSERT_EQ(edits().model()->rowCount(), 2);
  EXPECT_TRUE(edits().model()->index(0, EditModel::edit).data().toString().contains(u"runs"_s));
  click_cell(edits(), 0, EditModel::edit);
  press(Qt::Key_Delete);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(document().choices().order.moves.empty());
  EXPECT_EQ(document().choices().fusion.alone.size(), 1U);
  click(find<QWidget>(u"remove_edit_button"_s));
  ASSERT_TRUE(settles());
  EXPECT_TRUE(document().choices().fusion.alone.empty());
  EXPECT_EQ(edits().model()->rowCount(), 0);
  press(Qt::Key_Z, Qt::ControlModifier);
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(edits().model()->rowCount(), 2);
  click(find<QWidget>(u"remove_all_edits"_s));
  ASSERT_TRUE(settles());
  EXPECT_TRUE(document().choices().order.moves.empty());
}

}  // namespace fusion_groups_test
}  // namespace stashscope::ui::test
