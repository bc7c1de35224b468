// The palette and the shortcut sheet find commands by the words that users have for them.

#include <QLineEdit>
#include <QListView>
#include <QTableView>

#include "tests/ui/support/window_test.h"
#include "ui/widgets/cell_delegate.h"

namespace stashscope::ui::test {
namespace palette_words_test {

using namespace Qt::StringLiterals;

class PaletteWords : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }

  QStringList found(const QString& typed) {
    press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    auto& line = find<QLineEdit>(u"command_line"_s);
    QTest::keyClicks(&line, typed);
    const QAbstractItemModel& model = *find<QListView>(u"command_list"_s).model();
    QStringList rows;
    for (int row = 0; row < model.rowCount(); ++row) rows << model.index(row, 0).data().toString();
    QTest::keyClick(&line, Qt::Key_Escape);
    return rows;
  }
  QStringList found_on_the_sheet(const QString& typed) {
    press(Qt::Key_F1);
    auto& search = find<QLineEdit>(u"shortcut_search"_s);
    search.clear();
    QTest::keyClicks(&search, typed);
    const QAbstractItemModel& model = *find<QTableView>(u"shortcut_table"_s).model();
    QStringList rows;
    for (int row = 0; row < model.rowCount(); ++row) rows << model.index(row, 1).data().toString();
    QTest::keyClick(&search, Qt::Key_Escape);
    return rows;
  }
};

TEST_F(PaletteWords, ThemeFindsTheThemesFirst) {
  const QStringList rows = found(u"theme"_s);
  ASSERT_GE(rows.size(), 4);
  for (int row = 0; row < 4; ++row) {
    EXPECT_TRUE(rows[row].startsWith(u"View › Theme › "_s)) << rows[row].toStdString();
  }
}

TEST_F(PaletteWords, FontFindsTheSizeOfTexts) {
  EXPECT_EQ(
      found(u"font"_s).first(3),
      QStringList({u"View › Larger text"_s, u"View › Smaller text"_s, u"View › Normal text"_s}));
  EXPECT_TRUE(found_on_the_sheet(u"font"_s).contains(u"Larger text"_s));
}

TEST_F(PaletteWords, FoldFindsTheGroupsOfTheGraph) {
  for (const QString& typed : {u"fold"_s, u"collapse"_s, u"expand"_s}) {
    const QStringList rows = found(typed);
    EXPECT_TRUE(rows.contains(u"Graph of the training step › Open or close the group"_s))
        << rows.join(u'|').toStdString();
    EXPECT_TRUE(found_on_the_sheet(typed).contains(u"Open or close the group"_s));
  }
}

TEST_F(PaletteWords, AllocatorAndPaddingFindWhatCountsAndLeavesThemOut) {
  for (const QString& typed : {u"allocator"_s, u"reserved"_s}) {
    const QStringList rows = found(typed);
    EXPECT_TRUE(rows.contains(u"Planner › Count what PyTorch's allocator reserves"_s))
        << rows.join(u'|').toStdString();
  }
  const QStringList rows = found(u"padding"_s);
  EXPECT_FALSE(rows.filter(u"Sparse inputs"_s).isEmpty()) << rows.join(u'|').toStdString();
  auto& counts = find<QAction>(u"count_reserved"_s);
  counts.trigger();
  ASSERT_TRUE(settles());
  EXPECT_TRUE(document().choices().allocator);
  EXPECT_TRUE(counts.isChecked());
  counts.trigger();
  ASSERT_TRUE(settles());
  EXPECT_FALSE(document().choices().allocator);
  EXPECT_FALSE(counts.isChecked());
}

TEST_F(PaletteWords, TheAllocatorOfASessionIsTickedInTheMenu) {
  auto& counts = find<QAction>(u"count_reserved"_s);
  counts.trigger();
  ASSERT_TRUE(settles());
  const QString session = in_folder(u"reserved.stashscope"_s);
  find<QAction>(u"save_session_as"_s).trigger();
  answer_file_dialog(u"save_dialog"_s, session);
  ASSERT_TRUE(comes_true([this] { return !document().files().session_path().isEmpty(); }));
  open(sample(u"mlp_gelu"_s));
  EXPECT_FALSE(counts.isChecked());
  open(session);
  EXPECT_TRUE(counts.isChecked());
}

TEST_F(PaletteWords, TheSheetOfKeysCutsNoName) {
  press(Qt::Key_F1);
  auto& table = find<QTableView>(u"shortcut_table"_s);
  ASSERT_TRUE(comes_true([&] { return table.isVisible(); }));
  ASSERT_GT(table.model()->rowCount(), 40);
  for (int row = 0; row < table.model()->rowCount(); ++row) {
    for (int column = 0; column < table.model()->columnCount(); ++column) {
      const QModelIndex cell = table.model()->index(row, column);
      EXPECT_LE(table.sizeHintForIndex(cell).width() + 2 * CellDelegate::padding,
                table.columnWidth(column))
          << cell.data().toString().toStdString();
    }
  }
}

}  // namespace palette_words_test
}  // namespace stashscope::ui::test
