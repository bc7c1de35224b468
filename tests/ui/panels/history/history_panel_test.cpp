// The list of choices that were made, and the way back to each.

#include <QAction>
#include <QSettings>
#include <QTableView>

#include "tests/ui/support/window_test.h"
#include "ui/models/plan_tree_model.h"
#include "ui/panels/history/history_model.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace history_panel_test {

using namespace Qt::StringLiterals;

class History : public WindowTest {
 protected:
  void TearDown() override { QSettings().clear(); }

  QTableView& table() { return find<QTableView>(u"history_table"_s); }
  QString text(int row, int column) {
    return table().model()->index(row, column).data().toString();
  }
  void make_choices() {
    open(sample(u"gpt2_tiny"_s));
    find<QAction>(u"go_to_history_dock"_s).trigger();
    for (const int row : {0, 1}) {
      click_check_box(plans(), row, PlanTreeModel::plan);
      ASSERT_TRUE(settles());
    }
  }
};

TEST_F(History, ListsChoicesWithTheirPeaksAndGoesThere) {
  make_choices();
  ASSERT_EQ(table().model()->rowCount(), 3);
  EXPECT_EQ(text(0, HistoryModel::choice), u"As opened"_s);
  EXPECT_TRUE(text(1, HistoryModel::choice).startsWith(u"Recompute "_s));
  EXPECT_EQ(table().currentIndex().row(), 2);
  const QString peak_with_both = text(2, HistoryModel::peak);
  EXPECT_FALSE(peak_with_both.isEmpty());
  EXPECT_NE(text(0, HistoryModel::peak), text(1, HistoryModel::peak));
  EXPECT_TRUE(text(1, HistoryModel::change).startsWith(u"−"_s));
  click_cell(table(), 0, HistoryModel::choice);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().undo_stack().index(), 0);
  EXPECT_EQ(document().choices(), Choices());
  table().setFocus();
  QTest::keyClick(&table(), Qt::Key_Down);
  QTest::keyClick(&table(), Qt::Key_Down);
  QTest::keyClick(&table(), Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().undo_stack().index(), 2);
  EXPECT_EQ(text(2, HistoryModel::peak), peak_with_both);
}

TEST_F(History, WhatIsCutOffIsForgotten) {
  make_choices();
  click_cell(table(), 1, HistoryModel::choice);
  ASSERT_TRUE(settles());
  choose_entry(u"level"_s, 1);
  ASSERT_TRUE(settles());
  ASSERT_EQ(table().model()->rowCount(), 3);
  EXPECT_EQ(text(2, HistoryModel::choice), u"Level 1"_s);
  EXPECT_FALSE(text(2, HistoryModel::peak).isEmpty());
  open(sample(u"lenet"_s));
  EXPECT_EQ(table().model()->rowCount(), 1);
}

TEST_F(History, TheMenuOfARowComparesWithItsState) {
  make_choices();
  const std::int64_t with_both = peak();
  auto& compare = find<QAction>(u"compare_with_state"_s);
  EXPECT_FALSE(compare.isEnabled()) << "the current state is no other one";
  const QPoint first_row = table().visualRect(table().model()->index(0, 0)).center();
  QTest::mouseClick(table().viewport(), Qt::RightButton, {}, first_row);
  ASSERT_TRUE(table().actions().contains(&compare)) << "the menu lists it";
  ASSERT_TRUE(compare.isEnabled());
  compare.trigger();
  auto& panel = find<ComparePanel>(u"compare_panel"_s);
  ASSERT_TRUE(comes_true([&] { return panel.is_comparing(); })) << message().toStdString();
  EXPECT_EQ(document().undo_stack().index(), 2) << "the current choices stay";
  EXPECT_EQ(peak(), with_both);
  const auto& differences = find<QTableView>(u"compare_table"_s);
  const auto cell = [&](int column) {
    return differences.model()->index(0, column).data().toString();
  };
  EXPECT_EQ(cell(ComparisonModel::name), u"peak"_s);
  EXPECT_EQ(cell(ComparisonModel::left), bytes_text(with_both));
  EXPECT_EQ(cell(ComparisonModel::right), text(0, HistoryModel::peak));
  EXPECT_TRUE(find<QLabel>(u"compare_right"_s).text().contains(u"state “As opened”"_s))
      << find<QLabel>(u"compare_right"_s).text().toStdString();
  EXPECT_FALSE(QSettings().contains(u"compare/file"_s)) << "a state is no file to compare again";
}

}  // namespace history_panel_test
}  // namespace stashscope::ui::test
