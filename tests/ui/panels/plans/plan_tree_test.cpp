// The tree of plans as users handle it: ticks and counts, single occurrences, options that exclude
// each other, filter, copies, the menu.

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>

#include "core/onnx/model_file.h"
#include "tests/support/named_model.h"
#include "tests/ui/support/window_test.h"
#include "ui/models/plan_filter.h"

namespace stashscope::ui::test {
namespace plan_tree_test {

using namespace Qt::StringLiterals;
using Column = PlanTreeModel::Column;
using Kind = PlanTreeModel::Kind;

class PlanTree : public WindowTest {
 protected:
  void open_model(const stashscope::test::ModelBuilder& model) {
    const QString path = in_folder(u"model.onnx"_s);
    save_model(*stashscope::test::named(model), path.toStdString());
    open(path);
    // Wide enough for a click into any column.
    window().resize(2400, 1000);
    plans().setMinimumWidth(1500);
    ASSERT_TRUE(settles());
  }
  /// A model with eight Gelus that can be recomputed in one cluster.
  void open_layers() { open_model(stashscope::test::deep_perceptron(9)); }

  QAbstractItemModel& rows() { return *plans().model(); }
  QModelIndex row(int number, int column = Column::plan, const QModelIndex& parent = {}) {
    return rows().index(number, column, parent);
  }
  /// Finds the row of a plan by its config string, and any other row by its name.
  QModelIndex row_named(const QString& name, const QModelIndex& parent = {}) {
    for (int i = 0; i < rows().rowCount(parent); ++i) {
      for (const int column : {Column::plan, Column::config}) {
        if (row(i, column, parent).data().toString() == name) return row(i, Column::plan, parent);
      }
    }
    throw std::runtime_error("no row " + name.toStdString());
  }
  static int tick(const QModelIndex& index) { return index.data(Qt::CheckStateRole).toInt(); }
  static QString text(const QModelIndex& index, int column) {
    return index.siblingAtColumn(column).data().toString();
  }

  /// Without modifiers, even if an earlier test of this process left some pressed.
  void select(const QModelIndex& index) {
    plans().setFocus();
    plans().selectionModel()->setCurrentIndex(
        index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(&plans(), key, modifiers);
  }
  /// Waits for the study that follows an edit.
  void follow() { ASSERT_TRUE(settles()); }

  void choose_in_menu(const QString& name) {
    const QRect place = plans().visualRect(plans().currentIndex());
    Q_EMIT plans().customContextMenuRequested(place.center());
    auto* const menu = find<QWidget>(u"plans_panel"_s).findChild<QMenu*>(u"plan_menu"_s);
    ASSERT_NE(menu, nullptr);
    QAction* const action = menu->findChild<QAction*>(name);
    ASSERT_TRUE(action != nullptr && action->isEnabled()) << name.toStdString();
    menu->setActiveAction(action);
    QTest::keyClick(menu, Qt::Key_Return);
  }

  std::size_t applied() { return document().study()->applied.size(); }
  const QString gelu = u"Gelu+:1:-1"_s;
};

TEST_F(PlanTree, ARowIsTickedByMouseAndByKeyboard) {
  open_layers();
  click_check_box(plans(), row_named(gelu));
  follow();
  EXPECT_EQ(tick(row_named(gelu)), Qt::Checked);
  EXPECT_EQ(applied(), 8U);
  select(row_named(gelu).siblingAtColumn(Column::saved));
  key(Qt::Key_Space);
  follow();
  EXPECT_EQ(tick(row_named(gelu)), Qt::Unchecked);
  EXPECT_EQ(applied(), 0U);
  press(Qt::Key_Z, Qt::ControlModifier);
  follow();
  EXPECT_EQ(applied(), 8U);
}

TEST_F(PlanTree, ATickedRowIsSelectedInEveryView) {
  open_layers();
  EXPECT_TRUE(document().selection().nodes().empty());
  click_check_box(plans(), row_named(gelu));
  EXPECT_EQ(document().selection().nodes().size(), 8U);
  EXPECT_TRUE(plans().selectionModel()->isRowSelected(row_named(gelu).row(), {}));
}

TEST_F(PlanTree, SingleOccurrencesAreTickedByMouseAndByKeyboard) {
  open_layers();
  select(row_named(gelu));
  key(Qt::Key_Right);
  ASSERT_TRUE(plans().isExpanded(row_named(gelu)));
  ASSERT_EQ(rows().rowCount(row_named(gelu)), 8);
  const auto third = [this] { return row_named(u"layer.2.g"_s, row_named(gelu)); };
  click_check_box(plans(), third());
  follow();
  EXPECT_EQ(tick(third()), Qt::Checked);
  EXPECT_EQ(tick(row_named(gelu)), Qt::PartiallyChecked);
  EXPECT_EQ(text(row_named(gelu), Column::count), u"1"_s);
  ASSERT_EQ(applied(), 1U);
  EXPECT_EQ(document().study()->graph().node(document().study()->applied[0]->node).name,
            "layer.2.g");
  EXPECT_EQ(text(row_named(u"layer.0.g"_s, row_named(gelu)), Column::count), u"pinned"_s);

  select(row_named(u"layer.5.g"_s, row_named(gelu)));
  key(Qt::Key_Space);
  follow();
  EXPECT_EQ(applied(), 2U);
  key(Qt::Key_Space);
  follow();
  EXPECT_EQ(applied(), 1U);
  click_check_box(plans(), third());
  follow();
  EXPECT_EQ(document().choices(), Choices()) << "nothing is left behind";
  EXPECT_EQ(tick(row_named(gelu)), Qt::Unchecked);
  press(Qt::Key_Z, Qt::ControlModifier);
  follow();
  EXPECT_EQ(tick(third()), Qt::Checked);
}

TEST_F(PlanTree, SeveralRowsAreTickedAtOnce) {
  open_layers();
  select(row_named(gelu));
  key(Qt::Key_Right);
  key(Qt::Key_Down);
  key(Qt::Key_Down, Qt::ShiftModifier);
  key(Qt::Key_Down, Qt::ShiftModifier);
  key(Qt::Key_Space);
  follow();
  EXPECT_EQ(applied(), 3U);
  EXPECT_EQ(document().undo_stack().count(), 1);
  EXPECT_EQ(document().undo_stack().undoText(), u"Recompute 3 plans"_s);
}

TEST_F(PlanTree, ACountIsTypedAfterAClickOrF2) {
  open_layers();
  const auto type = [this](const QString& number) {
    auto* const box = plans().findChild<QSpinBox*>(u"plan_count"_s);
    ASSERT_NE(box, nullptr);
    EXPECT_EQ(box->maximum(), 8);
    box->selectAll();
    QTest::keyClicks(box, number);
    QTest::keyClick(box, Qt::Key_Return);
    follow();
    ASSERT_TRUE(comes_true([this] { return plans().findChild<QSpinBox*>() == nullptr; }));
  };
  click_cell(plans(), row_named(gelu).siblingAtColumn(Column::count));
  type(u"3"_s);
  EXPECT_EQ(applied(), 3U);
  EXPECT_EQ(tick(row_named(gelu)), Qt::PartiallyChecked);
  select(row_named(gelu));
  key(Qt::Key_F2);
  type(u"8"_s);
  EXPECT_EQ(tick(row_named(gelu)), Qt::Checked);
  EXPECT_EQ(to_string(document().choices().plans.config), "Gelu+:1:-1");
  // An occurrence has no count.
  plans().expand(row_named(gelu));
  select(row(0, Column::plan, row_named(gelu)));
  key(Qt::Key_F2);
  click_cell(plans(), row(0, Column::count, row_named(gelu)));
  EXPECT_EQ(plans().findChild<QSpinBox*>(), nullptr);
}

TEST_F(PlanTree, OptionsThatExcludeEachOtherStandTogether) {
  open_model(stashscope::test::mixed_precision(4));
  const QModelIndex group = row(0);
  ASSERT_TRUE(plans().isExpanded(group));
  EXPECT_FALSE(group.data(Qt::CheckStateRole).isValid());
  const auto option = [this](const QString& name) { return row_named(name, row(0)); };
  const QString full = u"Gelu+Cast+:1:-1"_s;
  const QString half = u"Cast+:2:-1"_s;
  click_check_box(plans(), option(full));
  follow();
  EXPECT_EQ(tick(option(full)), Qt::Checked);
  click_check_box(plans(), option(half));
  follow();
  EXPECT_EQ(tick(option(full)), Qt::Unchecked);
  EXPECT_EQ(tick(option(half)), Qt::Checked);
  select(option(full));
  key(Qt::Key_Space);
  follow();
  EXPECT_EQ(tick(option(half)), Qt::Unchecked);
  EXPECT_EQ(rows().rowCount(option(full)), 4);
  // An occurrence of one option also switches the other option off.
  plans().expand(option(half));
  click_check_box(plans(), row(2, Column::plan, option(half)));
  follow();
  EXPECT_EQ(tick(option(full)), Qt::Unchecked);
  EXPECT_EQ(tick(option(half)), Qt::PartiallyChecked);
  EXPECT_EQ(applied(), 1U);
}

TEST_F(PlanTree, ATickChangesCellsOnly) {
  open_layers();
  plans().expand(row_named(gelu));
  select(row(3, Column::plan, row_named(gelu)));
  window().resize(1200, 700);
  plans().verticalScrollBar()->setValue(plans().verticalScrollBar()->maximum() / 2);
  const int scrolled = plans().verticalScrollBar()->value();
  const QPersistentModelIndex current = plans().currentIndex();
  QSignalSpy reset(&rows(), &QAbstractItemModel::modelReset);
  key(Qt::Key_Space);
  follow();
  press(Qt::Key_Z, Qt::ControlModifier);
  follow();
  EXPECT_EQ(reset.count(), 0);
  EXPECT_TRUE(plans().isExpanded(row_named(gelu)));
  EXPECT_EQ(plans().currentIndex(), current);
  EXPECT_EQ(plans().verticalScrollBar()->value(), scrolled);
}

TEST_F(PlanTree, WhatIsOpenStaysOpenWhenRowsChange) {
  open_layers();
  plans().expand(row_named(gelu));
  click(find<QWidget>(u"list_extensions"_s));
  EXPECT_TRUE(plans().isExpanded(row_named(gelu)));
  click(find<QWidget>(u"list_extensions"_s));
  EXPECT_TRUE(plans().isExpanded(row_named(gelu)));
  key(Qt::Key_Home);
  plans().collapse(row_named(gelu));
  click(find<QWidget>(u"list_extensions"_s));
  EXPECT_FALSE(plans().isExpanded(row_named(gelu)));
}

TEST_F(PlanTree, OccurrencesTellWhereAndHowLong) {
  open(sample(u"gpt2_tiny"_s));
  const Study& study = *document().study();
  std::int64_t bytes = 0;
  for (int i = 0; i < rows().rowCount(); ++i) {
    const QModelIndex plan = row(i);
    if (text(plan, Column::frequency) != u"2"_s || rows().rowCount(plan) != 2) continue;
    const QModelIndex first = row(0, Column::plan, plan);
    EXPECT_TRUE(text(first, Column::layer).contains(u"h.0"_s))
        << text(first, Column::layer).toStdString();
    EXPECT_LT(text(first, Column::made).toInt(), text(first, Column::last_read).toInt());
    EXPECT_TRUE(QRegularExpression(u"^<?[0-9.]+ (ns|µs|ms|s)$"_s)
                    .match(text(first, Column::time))
                    .hasMatch())
        << text(first, Column::time).toStdString();
    EXPECT_FALSE(text(first, Column::saving).isEmpty());
    ++bytes;
  }
  EXPECT_GT(bytes, 0);
  EXPECT_GT(study.plan_table->plans.size(), 1U);
}

TEST_F(PlanTree, TensorsWithoutAPlanHaveTheirReason) {
  open(sample(u"gpt2_tiny"_s));
  const QModelIndex section = row_named(u"Not recomputable"_s);
  EXPECT_EQ(section.row(), rows().rowCount() - 1);
  const auto tensors = unplanned_tensors(*document().study());
  ASSERT_EQ(rows().rowCount(section), static_cast<int>(tensors.size()));
  EXPECT_FALSE(plans().isExpanded(section));
  plans().expand(section);
  const QModelIndex largest = row(0, Column::plan, section);
  EXPECT_EQ(largest.siblingAtColumn(Column::saving).data(PlanTreeModel::sort_role),
            qlonglong{tensors[0].bytes});
  EXPECT_TRUE(text(largest, Column::why_not).contains(u", at "_s))
      << text(largest, Column::why_not).toStdString();
  EXPECT_FALSE(largest.data(Qt::CheckStateRole).isValid());
  select(largest);
  EXPECT_FALSE(document().selection().nodes().empty());
}

TEST_F(PlanTree, AFilterLooksIntoEveryColumn) {
  open_layers();
  const int all = rows().rowCount();
  press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
  auto& filter = find<QLineEdit>(u"plan_filter"_s);
  ASSERT_TRUE(filter.hasFocus());
  QTest::keyClicks(&filter, u"LAYER.6.g"_s);
  ASSERT_GE(rows().rowCount(), 1);
  ASSERT_EQ(rows().rowCount(row_named(gelu)), 1);
  EXPECT_TRUE(plans().isExpanded(row_named(gelu))) << "what is found is seen";
  filter.clear();
  EXPECT_EQ(rows().rowCount(), all);
  EXPECT_EQ(rows().rowCount(row_named(gelu)), 8);
  EXPECT_FALSE(plans().isExpanded(row_named(gelu)));
  QTest::keyClicks(&filter, u"gelu+"_s);
  EXPECT_EQ(rows().rowCount(row_named(gelu)), 8) << "all that is below a row with the text";
  EXPECT_FALSE(plans().isExpanded(row_named(gelu)));
  filter.clear();
  QTest::keyClicks(&filter, u"no such text"_s);
  EXPECT_EQ(rows().rowCount(), 0);
}

TEST_F(PlanTree, AModelWithoutPlansShowsWhatStandsInTheWay) {
  stashscope::test::ModelBuilder m;
  m.input("x", {"N", 3, 8, 8}).input("labels", {"N"}, ElementType::int64);
  m.weight("w", {4, 3, 3, 3}).weight("v", {4, 4, 6, 6}).int64s("flat", {-1, 4});
  m.node("Conv", {"x", "w"}, {"a"}).node("Relu", {"a"}, {"b"}).node("Conv", {"b", "v"}, {"c"});
  m.node("Reshape", {"c", "flat"}, {"d"});
  m.node("SoftmaxCrossEntropyLoss", {"d", "labels"}, {"loss"});
  open_model(m.output("loss"));
  ASSERT_TRUE(document().study()->plan_table->plans.empty())
      << document().study()->plan_table->plans.front().config;
  ASSERT_EQ(rows().rowCount(), 1);
  EXPECT_TRUE(plans().isExpanded(row(0)));
  EXPECT_TRUE(find<QLabel>(u"plan_summary"_s).text().startsWith(u"No plans: "_s));
}

/// The plan table and the status line name the node, the rule and the way out.
TEST_F(PlanTree, AModelWithoutBackwardHasNoPlans) {
  stashscope::test::ModelBuilder m;
  m.input("x", {2, 4}).weight("w", {4, 4}).node("MatMul", {"x", "w"}, {"h"});
  m.node("Mystery", {"h"}, {"g"}, {}, "custom").declare("g", {2, 4});
  open_model(m.node("Relu", {"g"}, {"y"}).output("y"));
  for (const QString& text : {find<QLabel>(u"plan_summary"_s).text(), status()}) {
    EXPECT_TRUE(text.contains(u"o backward pass: node 'g' (Mystery)"_s)) << text.toStdString();
    EXPECT_TRUE(text.contains(u"--freeze"_s)) << text.toStdString();
  }
}

TEST_F(PlanTree, SelectedRowsAreCopiedWithATitle) {
  open_layers();
  plans().expand(row_named(gelu));
  select(row_named(gelu));
  key(Qt::Key_Down, Qt::ShiftModifier);
  key(Qt::Key_C, Qt::ControlModifier);
  const QStringList lines = QApplication::clipboard()->text().split(u'\n');
  ASSERT_EQ(lines.size(), 4) << QApplication::clipboard()->text().toStdString();
  EXPECT_TRUE(lines[0].startsWith(u"On\tPlan\tFound\tUse\tBytes\t"_s)) << lines[0].toStdString();
  const QString name = row_named(gelu).data().toString();
  EXPECT_TRUE(lines[1].startsWith(u"off\t"_s + name + u"\t8\t0\t"_s)) << lines[1].toStdString();
  EXPECT_TRUE(lines[1].contains(u"\tGelu+:1:-1\t"_s)) << lines[1].toStdString();
  EXPECT_TRUE(lines[2].startsWith(u"off\tlayer.0.g\t"_s)) << lines[2].toStdString();
  EXPECT_EQ(lines[1].count(u'\t'), lines[0].count(u'\t'));
  EXPECT_EQ(lines[1].split(u'\t')[4], text(row_named(gelu), Column::saving)) << "as it is shown";
}

TEST_F(PlanTree, TheMenuPinsAndShows) {
  open_layers();
  plans().expand(row_named(gelu));
  const auto second = [this] { return row(1, Column::plan, row_named(gelu)); };
  select(row_named(gelu));
  choose_in_menu(u"use_plans"_s);
  follow();
  EXPECT_EQ(applied(), 8U);
  select(second());
  choose_in_menu(u"pin_plans"_s);
  follow();
  EXPECT_EQ(applied(), 7U);
  EXPECT_EQ(document().choices().plans.pinned, (std::set<std::string>{"layer.1.g"}));
  EXPECT_TRUE(text(second(), Column::why_not).startsWith(u"the node is pinned"_s));
  choose_in_menu(u"show_in_graph"_s);
  EXPECT_EQ(document().study()->graph().node(document().selection().node()).name, "layer.1.g");
  choose_in_menu(u"copy_plan_config"_s);
  EXPECT_EQ(QApplication::clipboard()->text(), u"[\"%1\"]"_s.arg(gelu));
  choose_in_menu(u"copy_plan_rows"_s);
  EXPECT_TRUE(QApplication::clipboard()->text().contains(u"layer.1.g"_s));
  choose_in_menu(u"unpin_plans"_s);
  follow();
  EXPECT_EQ(applied(), 8U);
  choose_in_menu(u"drop_plans"_s);
  follow();
  EXPECT_EQ(applied(), 7U);
}

TEST_F(PlanTree, SelectedRowsAreMarkedInTheGraph) {
  open_layers();
  select(row_named(gelu));
  EXPECT_EQ(document().selection().nodes().size(), 8U);
  EXPECT_EQ(document().selection().title(), row_named(gelu).data().toString());
  plans().expand(row_named(gelu));
  select(row(4, Column::plan, row_named(gelu)));
  EXPECT_EQ(document().selection().nodes().size(), 1U);
}

}  // namespace plan_tree_test
}  // namespace stashscope::ui::test
