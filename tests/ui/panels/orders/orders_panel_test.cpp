// Orders, moves of nodes and fusion groups, through the panel's widgets.

#include <QAction>
#include <QApplication>
#include <QInputDialog>
#include <QTabBar>
#include <QTabWidget>
#include <QTreeView>

#include "core/schedule/fusion/fusions.h"
#include "core/study/choices/node_names.h"
#include "core/study/step/moved_order.h"
#include "tests/ui/support/window_test.h"
#include "ui/models/edit_model.h"
#include "ui/models/fusion_model.h"
#include "ui/models/group_model.h"
#include "ui/models/order_model.h"
#include "ui/models/step_model.h"
#include "ui/panels/orders/steps_view.h"
#include "ui/text/texts.h"
#include "ui/widgets/elided_label.h"

namespace stashscope::ui::test {
namespace orders_panel_test {

using namespace Qt::StringLiterals;

class OrderAndFusion : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window().resize(1600, 1400);
    open(sample(u"gpt2_tiny"_s));
  }

  enum Tab { orders_tab, steps_tab, fusion_tab, edits_tab };
  void show_tab(Tab tab) {
    auto* const bar = find<QTabWidget>(u"orders_panel"_s).tabBar();
    QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(tab).center());
  }

  QTableView& orders() { return find<QTableView>(u"order_table"_s); }
  StepsView& steps() { return find<StepsView>(u"step_table"_s); }
  QTableView& fusions() { return find<QTableView>(u"fusion_table"_s); }
  QTreeView& groups() { return find<QTreeView>(u"group_tree"_s); }
  QTableView& edits() { return find<QTableView>(u"edit_table"_s); }
  QString hint() { return find<ElidedLabel>(u"step_hint"_s).text(); }
  bool is_refusal() {
    return find<ElidedLabel>(u"step_hint"_s).foregroundRole() == QPalette::BrightText;
  }
  const Study& study() { return *document().study(); }
  const std::vector<NodeId>& order() { return study().current->timeline.order; }
  NodeId node_of_row(int row) { return order()[static_cast<std::size_t>(row)]; }

  int order_row(const std::string& name) {
    const auto& rows = order_rows(study());
    return static_cast<int>(std::ranges::find(rows, name, &OrderRow::name) - rows.begin());
  }

  /// The row of a node that can also run in earlier and later slots.
  int movable_row() {
    const MovableOrder movable = movable_order(study());
    for (std::size_t row = 0; row < order().size(); ++row) {
      const LegalRange range = movable.range(order()[row]);
      if (range.producer && range.reader && range.first < row && row < range.last) {
        return static_cast<int>(row);
      }
    }
    throw std::runtime_error("nothing can be moved");
  }

  QPoint upper_half(int row) {
    const QRect cell = steps().visualRect(steps().model()->index(row, StepModel::node));
    return {cell.center().x(), cell.top() + 3};
  }

  /// Presses a row and drags it to the upper half of another row.
  void drag(int from, int to) {
    steps().scrollTo(steps().model()->index((from + to) / 2, 0),
                     QAbstractItemView::PositionAtCenter);
    QWidget* const viewport = steps().viewport();
    QTest::mousePress(viewport, Qt::LeftButton, {}, upper_half(from));
    QMouseEvent move(QEvent::MouseMove, upper_half(to), viewport->mapToGlobal(upper_half(to)),
                     Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(viewport, &move);
  }
  void drop(int at) { QTest::mouseRelease(steps().viewport(), Qt::LeftButton, {}, upper_half(at)); }

  void choose_fusion(const char* name) {
    show_tab(fusion_tab);
    const auto strategies = fusion_strategies();
    const auto row = std::ranges::find(strategies, name, &FusionStrategy::name);
    click_cell(fusions(), static_cast<int>(row - strategies.begin()), FusionModel::name);
    ASSERT_TRUE(settles());
    ASSERT_EQ(choice_text(study().choices.fusion.strategy, no_fusion), name);
    ASSERT_GT(study().current->groups.members.size(), 0U);
  }

  /// The row of a member in the tree, scrolled to.
  QModelIndex member(int group, int row) {
    const QModelIndex index = groups().model()->index(row, 0, groups().model()->index(group, 0));
    groups().scrollTo(index);
    return index;
  }
  void click_member(int group, int row, Qt::KeyboardModifiers modifiers = {}) {
    const QModelIndex index = member(group, row);
    QTest::mouseClick(groups().viewport(), Qt::LeftButton, modifiers,
                      groups().visualRect(index).center());
  }
  std::string member_name(int group, int row) {
    return member(group, row).data().toString().toStdString();
  }
  /// The first group of at least `nodes` nodes.
  int large_group(std::size_t nodes) {
    const auto& members = study().current->groups.members;
    for (std::size_t group = 0; group < members.size(); ++group) {
      if (members[FusedGroupId(group)].size() >= nodes) return static_cast<int>(group);
    }
    throw std::runtime_error("no group is that large");
  }
  bool are_together(const std::string& a, const std::string& b) {
    const NodeNames names(study().graph(), study().current->dataflow);
    const FusedGroupId group = study().current->groups.of(names.find(a));
    return group.valid() && group == study().current->groups.of(names.find(b));
  }
};

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

}  // namespace orders_panel_test
}  // namespace stashscope::ui::test
