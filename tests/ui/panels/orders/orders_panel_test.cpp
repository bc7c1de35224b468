// Orders, moves of nodes and fusion groups, through the panel's widgets.

#include "tests/ui/panels/orders/orders_test.h"

namespace stashscope::ui::test {
namespace orders_panel_test {

using namespace Qt::StringLiterals;

TEST_F(OrderAndFusion, AClickOrAKeyChoosesAnOrder) {
  const std::int64_t before = peak();
  click_cell(orders(), order_row("breadth-first"), OrderModel::peak);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().order.strategy, "breadth-first");
  EXPECT_NE(peak(), before);
  orders().setFocus();
  orders().selectRow(order_row("file"));
  press(Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().order.strategy, "file");
  EXPECT_EQ(peak(), before);
}

TEST_F(OrderAndFusion, SpaceDoesWhatReturnDoesAndOneUndoTakesItBack) {
  orders().setFocus(Qt::TabFocusReason);
  orders().selectRow(order_row("breadth-first"));
  press(Qt::Key_Space);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().order.strategy, "breadth-first");
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().order.strategy, "file");
  show_tab(fusion_tab);
  fusions().setFocus(Qt::TabFocusReason);
  fusions().selectRow(1);
  press(Qt::Key_Space);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().fusion.strategy, fusion_strategies()[1].name);
}

TEST_F(OrderAndFusion, HomeAndEndGoToTheFirstAndTheLastRow) {
  const int last = orders().model()->rowCount() - 1;
  ASSERT_GT(last, 2);
  click_cell(orders(), 1, OrderModel::peak);
  press(Qt::Key_End);
  EXPECT_EQ(orders().currentIndex().row(), last);
  EXPECT_EQ(orders().selectionModel()->selectedRows().value(0).row(), last);
  press(Qt::Key_Home);
  EXPECT_EQ(orders().currentIndex().row(), 0);
  EXPECT_EQ(orders().selectionModel()->selectedRows().value(0).row(), 0);
  EXPECT_EQ(orders().currentIndex().column(), OrderModel::peak);
}

TEST_F(OrderAndFusion, TheKeyboardFindsARowToStartFrom) {
  EXPECT_FALSE(orders().selectionModel()->hasSelection());
  orders().setFocus(Qt::MouseFocusReason);
  EXPECT_FALSE(orders().selectionModel()->hasSelection()) << "the mouse chooses a row itself";
  window().graph().view().setFocus();
  orders().setFocus(Qt::TabFocusReason);
  EXPECT_EQ(orders().selectionModel()->selectedRows().value(0).row(), 0);
  EXPECT_EQ(orders().currentIndex().row(), 0);
}

TEST_F(OrderAndFusion, ASearchIsMadeWhenItIsChosenAndSaysWhatItProved) {
  open(sample(u"lenet"_s));
  const int row = order_row("minimal");
  const auto text = [&](int column, int role = Qt::DisplayRole) {
    return orders().model()->index(row, column).data(role).toString();
  };
  EXPECT_EQ(text(OrderModel::peak), u"when chosen"_s);
  click_cell(orders(), row, OrderModel::name);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(text(OrderModel::name).contains(u"proven"_s) ||
              text(OrderModel::name).contains(u"≥"_s));
  EXPECT_TRUE(text(OrderModel::peak, Qt::ToolTipRole).startsWith(exact_bytes_text(peak())));
  EXPECT_TRUE(text(OrderModel::name, Qt::ToolTipRole).contains(u"Found by"_s));
}

TEST_F(OrderAndFusion, StepsFollowTheSelectionAndLeadIt) {
  show_tab(steps_tab);
  EXPECT_EQ(steps().model()->rowCount(), static_cast<int>(order().size()));
  click_cell(steps(), 20, StepModel::node);
  EXPECT_EQ(document().selection().node(), node_of_row(20));
  EXPECT_EQ(document().selection().slot(), 20U);
  press(Qt::Key_Down);
  EXPECT_EQ(document().selection().slot(), 21U);
  document().selection().select_node(node_of_row(55));
  EXPECT_EQ(steps().currentIndex().row(), 55);
  EXPECT_TRUE(hint().contains(u"run in"_s)) << hint().toStdString();
}

TEST_F(OrderAndFusion, KeysMoveANodeByOneAndUndoTakesAllOfItBack) {
  show_tab(steps_tab);
  const std::vector<NodeId> before = order();
  const int row = movable_row();
  const NodeId node = node_of_row(row);
  click_cell(steps(), row, StepModel::node);
  press(Qt::Key_Down, Qt::AltModifier | Qt::ShiftModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(node_of_row(row + 1), node);
  EXPECT_EQ(steps().currentIndex().row(), row + 1) << "the row goes along";
  press(Qt::Key_Up, Qt::AltModifier | Qt::ShiftModifier);
  press(Qt::Key_Up, Qt::AltModifier | Qt::ShiftModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(node_of_row(row - 1), node) << "also when keys are faster than the study";
  EXPECT_EQ(document().choices().order.moves.size(), 1U);
  EXPECT_EQ(order_rows(study())[0].name, moved_order);
  EXPECT_TRUE(orders().model()->index(0, 0).data(Qt::CheckStateRole).toBool());
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(order(), before);
}

TEST_F(OrderAndFusion, KeysRefuseWhatIsIllegalAndSayWhy) {
  show_tab(steps_tab);
  const int row = movable_row();
  click_cell(steps(), row, StepModel::node);
  const LegalRange range = movable_order(study()).range(node_of_row(row));
  for (int i = row; i >= static_cast<int>(range.first); --i) {
    press(Qt::Key_Up, Qt::AltModifier | Qt::ShiftModifier);
    ASSERT_TRUE(settles());
  }
  EXPECT_EQ(steps().currentIndex().row(), static_cast<int>(range.first));
  EXPECT_TRUE(is_refusal());
  EXPECT_TRUE(hint().endsWith(obstacle_text(study(), *range.producer))) << hint().toStdString();
}

TEST_F(OrderAndFusion, ADragMovesANode) {
  show_tab(steps_tab);
  const int row = movable_row();
  const NodeId node = node_of_row(row);
  const int target = static_cast<int>(movable_order(study()).range(node).first);
  drag(row, target);
  EXPECT_TRUE(steps().is_dragging());
  EXPECT_TRUE(hint().contains(u"to slot %1"_s.arg(target + 1))) << hint().toStdString();
  drop(target);
  EXPECT_FALSE(steps().is_dragging());
  ASSERT_TRUE(settles());
  EXPECT_EQ(node_of_row(target), node);
  EXPECT_EQ(document().selection().node(), node);
  EXPECT_EQ(steps().currentIndex().row(), target);
  EXPECT_TRUE(steps().model()->index(target, StepModel::node).data(Qt::FontRole).isValid());
}

TEST_F(OrderAndFusion, AnIllegalTargetIsGreyAndRefusedWithItsReason) {
  show_tab(steps_tab);
  const int row = movable_row();
  const LegalRange range = movable_order(study()).range(node_of_row(row));
  const int target = static_cast<int>(range.producer->step);
  ASSERT_GT(target, 0);
  const auto picture = [&] {
    const QRect cell = steps().visualRect(steps().model()->index(target - 1, StepModel::node));
    return steps().viewport()->grab(cell.adjusted(0, 4, 0, -4)).toImage();
  };
  drag(row, target);
  const QImage greyed = picture();
  EXPECT_EQ(steps().viewport()->cursor().shape(), Qt::ForbiddenCursor);
  drop(target);
  EXPECT_NE(picture(), greyed);
  EXPECT_TRUE(document().choices().order.moves.empty());
  EXPECT_TRUE(is_refusal());
  EXPECT_TRUE(hint().endsWith(obstacle_text(study(), *range.producer))) << hint().toStdString();
}

TEST_F(OrderAndFusion, EscapeEndsADrag) {
  show_tab(steps_tab);
  const int row = movable_row();
  const int target = static_cast<int>(movable_order(study()).range(node_of_row(row)).first);
  drag(row, target);
  ASSERT_TRUE(steps().is_dragging());
  QTest::keyClick(&steps(), Qt::Key_Escape);
  EXPECT_FALSE(steps().is_dragging());
  drop(target);
  EXPECT_TRUE(document().choices().order.moves.empty());
}

TEST_F(OrderAndFusion, ANodeMovesToAStepThatIsTyped) {
  show_tab(steps_tab);
  const int row = movable_row();
  const NodeId node = node_of_row(row);
  const LegalRange range = movable_order(study()).range(node);
  click_cell(steps(), row, StepModel::node);
  press(Qt::Key_M, Qt::AltModifier | Qt::ShiftModifier);
  auto& dialog = find<QInputDialog>(u"move_to_dialog"_s);
  EXPECT_EQ(dialog.intMinimum(), static_cast<int>(range.first) + 1);
  EXPECT_EQ(dialog.intMaximum(), static_cast<int>(range.last) + 1);
  EXPECT_TRUE(dialog.labelText().contains(obstacle_text(study(), *range.reader)));
  dialog.setIntValue(dialog.intMaximum());
  dialog.accept();
  ASSERT_TRUE(settles());
  EXPECT_EQ(node_of_row(static_cast<int>(range.last)), node);
}

TEST_F(OrderAndFusion, AnotherOrderDropsTheMovesAndUndoBringsThemBack) {
  show_tab(steps_tab);
  click_cell(steps(), movable_row(), StepModel::node);
  click(find<QWidget>(u"step_later_button"_s));
  ASSERT_TRUE(settles());
  const Choices moved = document().choices();
  ASSERT_EQ(moved.order.moves.size(), 1U);
  show_tab(orders_tab);
  click_cell(orders(), order_row("depth-first"), OrderModel::name);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(document().choices().order.moves.empty());
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices(), moved);
  EXPECT_EQ(order_rows(study())[0].name, moved_order);
}

TEST_F(OrderAndFusion, FusionsAreCountedWhenTheyAreLookedAtAndChosenByAClick) {
  const auto text = [this](int row, int column) {
    return fusions().model()->index(row, column).data().toString();
  };
  const auto& table = dynamic_cast<PictureSource&>(fusions());
  EXPECT_EQ(text(1, FusionModel::peak), u"counting…"_s);
  EXPECT_FALSE(table.is_current()) << "not counted yet";
  show_tab(fusion_tab);
  ASSERT_TRUE(comes_true([&] { return text(3, FusionModel::peak) != u"counting…"_s; }));
  EXPECT_TRUE(table.is_current());
  const QString told = text(1, FusionModel::groups);
  EXPECT_GT(told.toInt(), 0);
  choose_fusion("dataflow");
  ASSERT_TRUE(comes_true([&] { return !text(1, FusionModel::groups).isEmpty(); }));
  EXPECT_EQ(text(1, FusionModel::groups), told);
  EXPECT_EQ(QString::number(study().current->groups.members.size()), told);
  EXPECT_EQ(groups().model()->rowCount(), told.toInt());
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(study().current->groups.empty());
}

TEST_F(OrderAndFusion, TheNamesOfFusedNodesHaveTheRoomThatTheirOperatorsLeave) {
  choose_fusion("dataflow");
  show_tab(fusion_tab);
  const int names = groups().columnWidth(GroupModel::name);
  const int operators = groups().columnWidth(GroupModel::op);
  EXPECT_EQ(names + operators, groups().viewport()->width());
  EXPECT_GT(names, operators);
  const QModelIndex first = groups().model()->index(0, 0);
  for (int row = 0; row < groups().model()->rowCount(first); ++row) {
    const QString op = groups().model()->index(row, GroupModel::op, first).data().toString();
    EXPECT_LE(groups().fontMetrics().horizontalAdvance(op), operators) << op.toStdString();
  }
}

}  // namespace orders_panel_test
}  // namespace stashscope::ui::test
