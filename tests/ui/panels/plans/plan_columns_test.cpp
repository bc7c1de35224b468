// The columns of the plan tree: symbolic savings and sorting.

#include <QHeaderView>

#include "core/onnx/model_file.h"
#include "tests/support/captured_chain.h"
#include "tests/ui/support/window_test.h"
#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/copied_rows.h"

namespace stashscope::ui::test {
namespace plan_columns_test {

using namespace Qt::StringLiterals;
using Column = PlanTreeModel::Column;

class PlanColumns : public WindowTest {
 protected:
  QAbstractItemModel& rows() { return *plans().model(); }
  QModelIndex row(int number, int column = 0) { return rows().index(number, column); }
  static QString text(const QModelIndex& index, int column) {
    return index.siblingAtColumn(column).data().toString();
  }
  int plan_count() {
    const bool has_section =
        text(row(rows().rowCount() - 1), Column::plan) == u"Not recomputable"_s;
    return rows().rowCount() - (has_section ? 1 : 0);
  }
  static qlonglong change_of(const QModelIndex& index) {
    return index.siblingAtColumn(Column::peak_change).data(exact_role).toLongLong();
  }
  bool knows_changes();
};

TEST_F(PlanColumns, CountsSayWhetherOnnxRuntimeTakesThem) {
  open(sample(u"gpt2_tiny"_s));
  int counted = 0;
  for (int number = 0; number < plan_count(); ++number) {
    if (row(number, Column::frequency).data(Qt::EditRole).toInt() < 2) continue;
    ++counted;
    const auto tip = [&] { return row(number, Column::count).data(Qt::ToolTipRole).toString(); };
    EXPECT_TRUE(tip().contains(u"ignores counts"_s)) << tip().toStdString();
    if (counted > 1) continue;
    rows().setData(row(number, Column::count), 1, Qt::EditRole);
    ASSERT_TRUE(settles());
    EXPECT_TRUE(tip().contains(u"not 1."_s)) << tip().toStdString();
    const QString summary = find<QLabel>(u"plan_summary"_s).text();
    EXPECT_TRUE(summary.contains(u"ignores the counts of 1 plan"_s)) << summary.toStdString();
  }
  EXPECT_GT(counted, 0);
}

TEST_F(PlanColumns, AmountsBelowTheUnitAreWhole) {
  open(sample(u"gpt2_tiny"_s));
  const QStyle& style = *plans().style();
  const int margin = style.pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, &plans()) + 1;
  const int around = 2 * (CellDelegate::padding + margin);
  const QFontMetrics metrics = plans().fontMetrics();
  for (const int column : {Column::saving, Column::saved, Column::at_peak}) {
    EXPECT_GE(plans().header()->sectionSize(column),
              metrics.horizontalAdvance(u"<0.001 GiB"_s) + around);
  }
  EXPECT_GE(plans().header()->sectionSize(Column::peak_change),
            metrics.horizontalAdvance(u"−<0.001 GiB"_s) + around);
}

TEST_F(PlanColumns, NamesAreTheFirstLineOfTheirTips) {
  open(sample(u"gpt2_tiny"_s));
  for (int number = 0; number < plan_count(); ++number) {
    const QString name = text(row(number), Column::plan);
    EXPECT_TRUE(row(number).data(Qt::ToolTipRole).toString().startsWith(name))
        << name.toStdString();
  }
}

TEST_F(PlanColumns, SavingsAreFormulasOfTheDimensions) {
  open(sample(u"gpt2_tiny"_s));
  int formulas = 0;
  for (int i = 0; i < rows().rowCount(); ++i) {
    const QString formula = text(row(i, Column::plan), Column::symbolic);
    if (formula.contains(u"*batch*sequence"_s)) ++formulas;
    EXPECT_FALSE(formula.contains(u"inputs_input_ids"_s)) << formula.toStdString();
    EXPECT_EQ(formula.isEmpty(), i >= std::ssize(document().study()->plan_table->plans)) << i;
  }
  EXPECT_GE(formulas, 3);
}

TEST_F(PlanColumns, IsSortedByAnyColumn) {
  open(sample(u"gpt2_tiny"_s));
  plans().setMinimumWidth(1500);
  QHeaderView& header = *plans().header();
  for (const int column : {Column::at_peak, Column::time, Column::frequency, Column::plan}) {
    for (int clicks = 0; clicks < 2; ++clicks) {
      const int x = header.sectionViewportPosition(column) + header.sectionSize(column) / 2;
      QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, QPoint(x, header.height() / 2));
      ASSERT_EQ(header.sortIndicatorSection(), column);
      const bool rises = header.sortIndicatorOrder() == Qt::AscendingOrder;
      for (int i = 2; i + 1 < rows().rowCount(); ++i) {
        const QVariant before = row(i - 1, column).data(PlanTreeModel::sort_role);
        const QVariant after = row(i, column).data(PlanTreeModel::sort_role);
        const bool is_text = column == Column::plan;
        const auto order =
            is_text ? QString::compare(before.toString(), after.toString(), Qt::CaseInsensitive)
                    : before.toDouble() - after.toDouble();
        EXPECT_TRUE(rises ? order <= 0 : order >= 0) << column << " " << i;
      }
      EXPECT_EQ(text(row(rows().rowCount() - 1), Column::plan), u"Not recomputable"_s);
    }
  }
}

/// Waits until the column has an answer in every row of plans.
bool PlanColumns::knows_changes() {
  return comes_true([this] {
    for (int i = 0; i < plan_count(); ++i) {
      if (text(row(i), Column::peak_change).isEmpty()) return false;
    }
    return true;
  });
}

TEST_F(PlanColumns, TellHowThePeakChangesWithEachRow) {
  open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(knows_changes());
  plans().sortByColumn(Column::peak_change, Qt::DescendingOrder);
  const qlonglong promised = change_of(row(0));
  EXPECT_LT(promised, 0) << "the largest fall is at the top";
  EXPECT_LE(promised, change_of(row(1)));
  EXPECT_TRUE(text(row(0), Column::peak_change).startsWith(u'−'));
  const QString name = text(row(0), Column::config);
  const std::int64_t before = peak();
  click_check_box(plans(), row(0));
  ASSERT_TRUE(settles());
  EXPECT_EQ(peak() - before, promised);
  ASSERT_TRUE(knows_changes());
  for (int i = 0; i < plan_count(); ++i) {
    if (text(row(i), Column::config) != name) continue;
    EXPECT_EQ(change_of(row(i)), -promised);
  }
}

TEST_F(PlanColumns, ThePartAtThePeakIsNotMoreThanTheWhole) {
  const QString file = in_folder(u"step.onnx"_s);
  save_model(Graph(stashscope::test::CapturedChain(4).data()), file.toStdString());
  open(file);
  ASSERT_GT(plan_count(), 0);
  const auto bytes = [](const QModelIndex& index, int column) {
    return index.siblingAtColumn(column).data(exact_role).toLongLong();
  };
  const auto check = [&](const auto& self, const QModelIndex& above) -> void {
    for (int i = 0; i < rows().rowCount(above); ++i) {
      const QModelIndex each = rows().index(i, 0, above);
      EXPECT_LE(bytes(each, Column::at_peak), bytes(each, Column::saving));
      EXPECT_LE(bytes(each, Column::saved), bytes(each, Column::saving));
      self(self, each);
    }
  };
  check(check, {});
}

TEST_F(PlanColumns, FilesHaveTheNewColumnLast) {
  open(sample(u"gpt2_tiny"_s));
  const QHeaderView& header = *plans().header();
  EXPECT_EQ(header.visualIndex(Column::peak_change), header.visualIndex(Column::saving) + 1);
  const std::string titles = CsvRows({row(0)}, header).titles();
  EXPECT_TRUE(titles.ends_with("Peak change (bytes)\n") ||
              titles.ends_with("Peak change (bytes)\r\n"))
      << titles;
}

}  // namespace plan_columns_test
}  // namespace stashscope::ui::test
