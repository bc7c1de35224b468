// The times of plans in their table: the bytes saved per millisecond, and where the times come
// from.

#include <QHeaderView>
#include <limits>

#include "tests/ui/support/studies.h"
#include "tests/ui/support/window_test.h"
#include "ui/models/plan_tree_model.h"

namespace stashscope::ui::test {
namespace plan_times_test {

using namespace Qt::StringLiterals;
using Column = PlanTreeModel::Column;

class PlanTimes : public WindowTest {
 protected:
  const QAbstractItemModel& rows() { return *plans().model(); }
  QModelIndex row(int row, int column = 0) { return rows().index(row, column); }
  static QString text(const QModelIndex& row, int column) {
    return row.siblingAtColumn(column).data().toString();
  }
};

TEST_F(PlanTimes, SaysWhatAMillisecondSavesWhereThereIsRoom) {
  open(sample(u"gpt2_tiny"_s));
  plans().setMinimumWidth(1500);
  ASSERT_TRUE(comes_true([this] { return !plans().isColumnHidden(Column::per_time); }));
  QHeaderView& header = *plans().header();
  const int x = header.sectionViewportPosition(Column::per_time) + 20;
  QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, QPoint(x, header.height() / 2));
  ASSERT_EQ(header.sortIndicatorOrder(), Qt::DescendingOrder);
  double before = std::numeric_limits<double>::infinity();
  int finite = 0;
  for (int i = 0; i + 1 < rows().rowCount(); ++i) {
    const double rate = row(i, Column::per_time).data(PlanTreeModel::sort_role).toDouble();
    EXPECT_LE(rate, before) << i;
    before = rate;
    if (!row(i, Column::time).data(exact_role).isValid()) continue;
    const double seconds = row(i, Column::time).data(exact_role).toDouble();
    const double bytes = row(i, Column::at_peak).data(exact_role).toDouble();
    if (seconds == 0) {
      EXPECT_EQ(text(row(i), Column::per_time), bytes > 0 ? u"free"_s : u"0 B"_s) << i;
      continue;
    }
    finite += bytes > 0 ? 1 : 0;
    EXPECT_NEAR(rate * 1e3 * seconds, bytes, 1e-6 * bytes) << i;
  }
  EXPECT_GT(finite, 0);
  plans().setMinimumWidth(0);
  plans().setMaximumWidth(420);
  EXPECT_TRUE(comes_true([this] { return plans().isColumnHidden(Column::per_time); }))
      << "other columns would be cut";
  const QString title = rows().headerData(Column::per_time, Qt::Horizontal).toString();
  EXPECT_TRUE(rows_text({row(0)}, header).contains(title)) << "a copy has room for it";
}

TEST(PlansWithoutExtraTime, AreFree) {
  const auto study = study_of(sample(u"gpt2_tiny"_s));
  // A run without any time for any node.
  Measurement run;
  run.node_seconds.assign(study->baseline->timeline.order.size(), 0);
  const auto without_time = with_measured_times(*study, run, run);
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

TEST_F(PlanTimes, TimesSayWhetherTheyAreMeasured) {
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

}  // namespace plan_times_test
}  // namespace stashscope::ui::test
