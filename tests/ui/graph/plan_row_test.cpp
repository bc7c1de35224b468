// From a node in the graph to its row in the plan table and back.

#include <QDockWidget>
#include <QScrollBar>
#include <QToolButton>

#include "core/study/facts/plan_facts.h"
#include "tests/ui/graph/graph_test.h"

namespace stashscope::ui::test {
namespace plan_row_test {

using namespace Qt::StringLiterals;

class PlanRowOfNode : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
    find<QDockWidget>(u"planner_dock"_s).raise();
  }

  std::optional<TablePlace> place_in_table(NodeId node) {
    return table_place(*document().study(), dataflow().origin(node));
  }
  /// A node whose own output has a plan.
  NodeId plannable() {
    return find_node([this](NodeId node) {
      const auto place = place_in_table(node);
      if (!place || place->tensor.valid()) return false;
      const auto& row = plan_row(*document().study(), place->row);
      return OccurrenceFacts::node((*row.occurrences)[place->occurrence]) == node;
    });
  }
  NodeId without_row() {
    return find_node([this](NodeId node) { return !place_in_table(node); });
  }
  QString name(NodeId node) {
    return QString::fromStdString(document().study()->graph().node(node).name);
  }

  void expect_shown(NodeId node) {
    const QModelIndex row = plans().currentIndex();
    ASSERT_TRUE(row.isValid());
    EXPECT_TRUE(row.data().toString().contains(name(node))) << row.data().toString().toStdString();
    EXPECT_TRUE(plans().selectionModel()->isSelected(row));
    EXPECT_TRUE(plans().hasFocus());
    EXPECT_FALSE(plans().visibleRegion().isEmpty()) << "its panel comes to the front";
    EXPECT_TRUE(plans().viewport()->rect().contains(plans().visualRect(row).center()));
    EXPECT_EQ(document().selection().node(), node) << "the graph keeps its selection";
  }
  void choose_batch(std::int64_t size) {
    Choices choices = document().choices();
    choices.dims["inputs_input_ids_dim0"] = size;
    document().choose(choices, u"batch"_s);
  }
  QAction& entry() { return find<QAction>(u"show_plan_row"_s); }
};

TEST_F(PlanRowOfNode, ByItsKey) {
  const NodeId node = plannable();
  go_to(node);
  press(Qt::Key_T);
  expect_shown(node);
}

TEST_F(PlanRowOfNode, ByTheMouse) {
  const NodeId node = plannable();
  go_to(node);
  choose(menu_at(place_of(node)), u"show_plan_row"_s);
  expect_shown(node);
}

TEST_F(PlanRowOfNode, FromTheCommands) {
  const NodeId node = plannable();
  go_to(node);
  press(Qt::Key_K, Qt::ControlModifier);
  QTest::keyClicks(QApplication::focusWidget(), u"show in the plan table"_s);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
  ASSERT_TRUE(comes_true([this] { return plans().hasFocus(); }));
  expect_shown(node);
}

TEST_F(PlanRowOfNode, ThoughTheFilterHidesIt) {
  auto& filter = find<QLineEdit>(u"plan_filter"_s);
  filter.setText(u"there is no such plan"_s);
  ASSERT_EQ(plans().model()->rowCount(), 0);
  const NodeId node = plannable();
  go_to(node);
  press(Qt::Key_T);
  EXPECT_TRUE(filter.text().isEmpty());
  expect_shown(node);
}

TEST_F(PlanRowOfNode, OfATensorWithoutAPlan) {
  const NodeId node = find_node([this](NodeId each) {
    const auto place = place_in_table(each);
    return place && place->tensor.valid() &&
           document().study()->graph().value(place->tensor).producer == each;
  });
  go_to(node);
  press(Qt::Key_T);
  EXPECT_TRUE(plans().currentIndex().parent().isValid());
  EXPECT_FALSE(plans().currentIndex().flags().testFlag(Qt::ItemIsUserCheckable));
  EXPECT_TRUE(plans().hasFocus());
}

TEST_F(PlanRowOfNode, IsSelectedWithTheNode) {
  const NodeId node = plannable();
  go_to(node);
  const QModelIndex plan = plans().currentIndex();
  ASSERT_TRUE(plans().selectionModel()->isSelected(plan));
  EXPECT_FALSE(plan.parent().isValid()) << "its occurrences are not open";
  plans().expand(plan);
  document().selection().select_node(without_row());
  EXPECT_FALSE(plans().selectionModel()->hasSelection());
  document().selection().select_node(node);
  const QModelIndex occurrence = plans().currentIndex();
  EXPECT_EQ(occurrence.parent(), plan);
  EXPECT_TRUE(occurrence.data().toString().contains(name(node)));
  EXPECT_TRUE(plans().selectionModel()->isSelected(occurrence));
  EXPECT_TRUE(view().hasFocus());
  EXPECT_EQ(document().selection().node(), node) << "the graph keeps its selection";
}

TEST_F(PlanRowOfNode, SelectedByItsNodeItStillMarksItsOwnNodesWhenClicked) {
  const NodeId node = plannable();
  go_to(node);
  const QModelIndex plan = plans().currentIndex();
  click_cell(plans(), plan.siblingAtColumn(1));
  EXPECT_FALSE(document().selection().node().valid());
  EXPECT_EQ(document().selection().title(), plan.data().toString());
}

TEST_F(PlanRowOfNode, IsNotSelectedAnyMoreWhenSomethingElseIs) {
  go_to(plannable());
  ASSERT_TRUE(plans().selectionModel()->hasSelection());
  document().selection().clear();
  EXPECT_FALSE(plans().selectionModel()->hasSelection());
}

TEST_F(PlanRowOfNode, StaysWhereItLedToANodeThatOthersHaveToo) {
  const auto all = static_cast<int>(document().study()->plan_table->plans.size());
  for (int i = 0; i < all; ++i) {
    const QModelIndex row = plans().model()->index(i, 0);
    ASSERT_TRUE(row.flags().testFlag(Qt::ItemIsUserCheckable)) << "a plan";
    click_cell(plans(), row);
    QContextMenuEvent event(QContextMenuEvent::Keyboard, {}, plans().mapToGlobal(QPoint()));
    QApplication::sendEvent(plans().viewport(), &event);
    choose(find<QMenu>(u"plan_menu"_s), u"show_in_graph"_s);
    ASSERT_TRUE(settles());
    ASSERT_TRUE(document().selection().node().valid());
    EXPECT_EQ(plans().currentIndex().siblingAtColumn(0), row)
        << row.data().toString().toStdString();
  }
}

TEST_F(PlanRowOfNode, DoesNotScrollTheTableAgainWhenTheStudyChanges) {
  const NodeId node = plannable();
  go_to(node);
  auto& across = *plans().horizontalScrollBar();
  ASSERT_GT(across.maximum(), 0);
  across.setValue(across.maximum());
  choose_batch(2);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().selection().node(), node);
  EXPECT_EQ(across.value(), across.maximum());
}

TEST_F(PlanRowOfNode, OfATensorWithoutAPlanIsNotOpenedBySelecting) {
  const NodeId node = find_node([this](NodeId each) {
    const auto place = place_in_table(each);
    return place && place->tensor.valid();
  });
  go_to(node);
  EXPECT_FALSE(plans().selectionModel()->hasSelection());
}

TEST_F(PlanRowOfNode, CannotBeAskedForWithoutARow) {
  const NodeId node = without_row();
  go_to(node);
  EXPECT_FALSE(entry().isEnabled());
  EXPECT_TRUE(entry().toolTip().contains(u"has no row"_s)) << entry().toolTip().toStdString();
  QMenu& menu = menu_by_key();
  EXPECT_TRUE(menu.toolTipsVisible());
  EXPECT_TRUE(menu.actions().contains(&entry()));
  menu.close();
  press(Qt::Key_T);
  EXPECT_TRUE(view().hasFocus());
  document().selection().clear();
  EXPECT_TRUE(entry().toolTip().contains(u"Select a node"_s)) << entry().toolTip().toStdString();
}

TEST_F(PlanRowOfNode, AndBackToTheGraphWhereGroupsHideIt) {
  const NodeId node = plannable();
  go_to(node);
  press(Qt::Key_T);
  expect_shown(node);
  const QModelIndex row = plans().currentIndex();
  document().selection().clear();
  plans().setCurrentIndex(row);
  click(find<QToolButton>(u"close_groups_button"_s));
  ASSERT_TRUE(settles());
  ASSERT_FALSE(is_shown(node));
  QContextMenuEvent event(QContextMenuEvent::Keyboard, {}, plans().mapToGlobal(QPoint()));
  QApplication::sendEvent(plans().viewport(), &event);
  choose(find<QMenu>(u"plan_menu"_s), u"show_in_graph"_s);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().selection().node(), node);
  EXPECT_TRUE(is_shown(node));
}

}  // namespace plan_row_test
}  // namespace stashscope::ui::test
