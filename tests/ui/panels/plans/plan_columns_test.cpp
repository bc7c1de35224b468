// The columns of the plan tree: symbolic savings, sorting, the saving per time, the origin of times.

#include <QHeaderView>
#include <limits>

#include "tests/ui/support/studies.h"
#include "tests/ui/support/window_test.h"

namespace stashscope::ui::test {
namespace plan_columns_test {

using namespace Qt::StringLiterals;
using Column = PlanTreeModel::Column;

class PlanColumns : public WindowTest {
 protected:
  QAbstractItemModel& rows() { return *plans().model(); }
  QModelIndex row(int number, int column) { return rows().index(number, column); }
  static QString text(const QModelIndex& index, int column) {
    return index.siblingAtColumn(column).data().toString();
  }
};

TEST_F(PlanColumns, SavingsAreFormulasOfTheDimensions) {
  open(sample(u"gpt2_tiny"_s));
  int formulas = 0;
  for (int i = 0; i < rows().rowCount(); ++i) {
    const QString formula = text(row(i, Column::plan), Column::symbolic);
    if (formula.contains(u"*inputs_input_ids_dim0*inputs_input_ids_dim1"_s)) ++formulas;
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

TEST_F(PlanColumns, SaysWhatAMillisecondSavesWhereThereIsRoom) {
  open(sample(u"gpt2_tiny"_s));
  plans().setMinimumWidth(1500);
  ASSERT_TRUE(comes_true([this] { return !plans().isColumnHidden(Column::per_time); }));
  QHeaderView& header = *plans().header();
  const int x = header.sectionViewportPosition(Column::per_time) + 20;
  QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, QPoint(x, header.height() / 2));
  ASSERT_EQ(header.sortIndicatorOrder(), Qt::DescendingOrder);
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0; i + 1 < rows().rowCount(); ++i) {
    const double rate = row(i, Column::per_time).data(PlanTreeModel::sort_role).toDouble();
    EXPECT_LE(rate, before) << i;
    before = rate;
    if (!row(i, Column::time).data(exact_role).isValid()) continue;
    const double seconds = row(i, Column::time).data(exact_role).toDouble();
    const double bytes = row(i, Column::at_peak).data(exact_role).toDouble();
    EXPECT_NEAR(rate * 1e3 * seconds, bytes, 1e-6 * bytes) << i;
  }
  EXPECT_GT(row(0, Column::per_time).data(exact_role).toDouble(), 0);
  plans().setMinimumWidth(0);
  plans().setMaximumWidth(420);
  EXPECT_TRUE(comes_true([this] { return plans().isColumnHidden(Column::per_time); }))
      << "other columns would be cut";
}

TEST(PlansWithoutExtraTime, AreFree) {
  const auto study = study_of(sample(u"gpt2_tiny"_s));
  auto table = std::make_shared<PlanTable>(*study->plan_table);
  for (PlanRow& row : table->plans) row.cost.seconds = 0;
  auto without_time = std::make_shared<Study>(*study);
  without_time->plan_table = table;
  PlanTreeModel model;
  model.set_study(without_time);
  int plans = 0;
  for (int i = 0; i + 1 < model.rowCount(); ++i) {
    const QModelIndex cell = model.index(i, PlanTreeModel::per_time);
    const bool saves = cell.siblingAtColumn(PlanTreeModel::at_peak).data(exact_role).toInt() > 0;
    if (!saves) continue;
    EXPECT_EQ(cell.data().toString(), u"free"_s) << i;
    EXPECT_FALSE(cell.data(exact_role).isValid()) << "a file has the word";
    ++plans;
  }
  EXPECT_GT(plans, 0);
}

TEST_F(PlanColumns, TimesSayWhetherTheyAreMeasured) {
  open(sample(u"gpt2_tiny"_s));
  const auto tips = [this] {
    return QStringList{plans()
                           .header()
                           ->model()
                           ->headerData(Column::time, Qt::Horizontal, Qt::ToolTipRole)
                           .toString(),
                       row(0, Column::time).data(Qt::ToolTipRole).toString()};
  };
  for (const QString& tip : tips()) {
    EXPECT_TRUE(tip.contains(u"predicted for "_s +
                             QString::fromStdString(document().choices().times.profile.name)))
        << tip.toStdString();
  }
  press(Qt::Key_F5);
  ASSERT_TRUE(comes_true([this] { return document().measured() != nullptr; }));
  for (const QString& tip : tips()) {
    EXPECT_TRUE(tip.contains(u"measured on cpu"_s)) << tip.toStdString();
  }
}

}  // namespace plan_columns_test
}  // namespace stashscope::ui::test
