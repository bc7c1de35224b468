// The columns of the plan tree: symbolic savings and sorting.

#include <QHeaderView>

#include "tests/ui/support/window_test.h"

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
};

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

}  // namespace plan_columns_test
}  // namespace stashscope::ui::test
