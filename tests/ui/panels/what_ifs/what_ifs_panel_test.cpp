// What-ifs in the window: what each would save, and the way to switch it on and off.

#include "ui/panels/what_ifs/what_ifs_panel.h"

#include <QAction>
#include <QTableView>

#include "core/study/search/budget.h"
#include "tests/ui/support/window_test.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace what_ifs_panel_test {

using namespace Qt::StringLiterals;

constexpr int patience = 60'000;  // milliseconds

class WhatIfs : public WindowTest {
 protected:
  QTableView& table() { return find<QTableView>(u"what_ifs_table"_s); }
  QString text(int row, int column) {
    return table().model()->index(row, column).data().toString();
  }
  bool has_rows() {
    return QTest::qWaitFor([&] { return table().model()->rowCount() > 0; }, patience);
  }
  bool is_old() { return table().model()->index(0, 0).data(Qt::ForegroundRole).isValid(); }
  /// The row of a what-if; -1 if there is none.
  int row_of(const QString& words) {
    for (int row = 0; row < table().model()->rowCount(); ++row) {
      if (text(row, WhatIfModel::choice).startsWith(words)) return row;
    }
    return -1;
  }
  void open_panel() {
    open(sample(u"gpt2_tiny"_s));
    find<QAction>(u"go_to_what_ifs_dock"_s).trigger();
    ASSERT_TRUE(has_rows());
  }
  void activate(int row) {
    table().setCurrentIndex(table().model()->index(row, 0));
    table().setFocus();
    QTest::keyClick(&table(), Qt::Key_Return);
    ASSERT_TRUE(settles());
  }
};

TEST_F(WhatIfs, SayWhatTheyChangeAndSwitchOnAndOff) {
  open_panel();
  const int flash = row_of(u"Flash attention"_s);
  ASSERT_GE(flash, 0);
  const QString change = text(flash, WhatIfModel::stashed);
  EXPECT_TRUE(change.startsWith(u"−"_s)) << change.toStdString();
  EXPECT_EQ(text(flash, WhatIfModel::places), u"2 of 2"_s);
  const std::int64_t before = document().study()->current->timeline.peak_bytes;
  const QVariant peak = table().model()->index(flash, WhatIfModel::peak).data(exact_role);
  activate(flash);
  EXPECT_EQ(document().choices().graph.what_ifs, (WhatIfChoices{{"attention", "flash"}}));
  EXPECT_EQ(document().study()->current->timeline.peak_bytes, before + peak.toLongLong());
  ASSERT_TRUE(QTest::qWaitFor([&] { return row_of(u"Flash attention (on)"_s) == 0; }, patience));
  activate(0);
  EXPECT_TRUE(document().choices().graph.what_ifs.empty());
  EXPECT_EQ(document().study()->current->timeline.peak_bytes, before);
}

TEST_F(WhatIfs, NameSizesByTheirWords) {
  open_panel();
  Choices choices = document().choices();
  choices.dims["inputs_input_ids_dim0"] = 3;
  document().choose(choices, u"batch"_s);
  ASSERT_TRUE(settles());
  ASSERT_TRUE(QTest::qWaitFor([&] { return has_rows() && !is_old(); }, patience));
  auto& details = find<QLabel>(u"what_if_details"_s);
  int told = 0;
  for (int row = 0; row < table().model()->rowCount(); ++row) {
    table().setCurrentIndex(table().model()->index(row, 0));
    const QString tip = table().model()->index(row, 0).data(Qt::ToolTipRole).toString();
    for (const QString& text : {details.text(), tip}) {
      // Only sizes of inputs have words; the number of kept tokens has a name of its own.
      QString sizes = text;
      sizes.remove(u"valid_tokens_output_dim1"_s);
      EXPECT_FALSE(sizes.contains(u"_dim"_s)) << text.toStdString();
      told += text.contains(u"batch"_s) && !text.contains(u"micro-batches"_s) ? 1 : 0;
    }
  }
  EXPECT_GT(told, 0);
  ASSERT_GE(row_of(u"2 micro-batches"_s), 0);
  table().setCurrentIndex(table().model()->index(row_of(u"2 micro-batches"_s), 0));
  EXPECT_TRUE(details.text().contains(u"'batch' is 3"_s)) << details.text().toStdString();
  EXPECT_TRUE(details.text().contains(u"would change nothing"_s)) << details.text().toStdString();
  activate(row_of(u"2 micro-batches"_s));
  EXPECT_TRUE(document().choices().graph.what_ifs.empty());
  activate(row_of(u"Flash attention"_s));
  EXPECT_EQ(document().choices().graph.what_ifs, (WhatIfChoices{{"attention", "flash"}}));
}

TEST_F(WhatIfs, AreChoicesOfTheMenuOfPassesThatCanBeUndone) {
  open(sample(u"gpt2_tiny"_s));
  find<QAction>(u"what_if_attention_flash"_s).trigger();
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().graph.what_ifs.at("attention"), "flash");
  document().undo_stack().undo();
  ASSERT_TRUE(settles());
  EXPECT_TRUE(document().choices().graph.what_ifs.empty());
}

TEST_F(WhatIfs, SayWhatIsComparedBesideAPlannedSequence) {
  open_panel();
  auto& note = find<QLabel>(u"what_if_sequence_note"_s);
  EXPECT_FALSE(note.isVisible());
  BudgetRequest request{peak() * 9 / 10, PlanGranularity::node, {0, 200, 1}};
  ParetoFront archive;
  const BudgetAnswer answer = plan_for_budget(*document().study(), request, archive, Progress());
  ASSERT_TRUE(answer.best.choices.plans.sequence);
  document().choose(answer.best.choices, u"sequence"_s);
  ASSERT_TRUE(settles());
  ASSERT_TRUE(QTest::qWaitFor([&] { return note.isVisible(); }, patience));
  EXPECT_TRUE(note.text().contains(u"without plans"_s)) << note.text().toStdString();
  document().undo_stack().undo();
  ASSERT_TRUE(settles());
  EXPECT_TRUE(QTest::qWaitFor([&] { return !note.isVisible(); }, patience));
}

}  // namespace what_ifs_panel_test
}  // namespace stashscope::ui::test
