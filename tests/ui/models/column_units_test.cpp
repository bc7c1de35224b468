// Amounts in a column share one unit, so that they compare at a glance.

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <cmath>
#include <map>
#include <set>

#include "core/study/edits/edits.h"
#include "core/study/step/fusion_table.h"
#include "tests/ui/support/samples.h"
#include "tests/ui/support/studies.h"
#include "ui/models/alive_model.h"
#include "ui/models/difference_model.h"
#include "ui/models/fusion_model.h"
#include "ui/models/order_model.h"
#include "ui/models/step_model.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace column_units_test {

using namespace Qt::StringLiterals;
using Column = PlanTreeModel::Column;
using Texts = std::map<QString, QString>;
using Units = std::set<QString>;

constexpr int byte_columns[] = {Column::saving, Column::saved, Column::at_peak};

QString unit_of(const QString& text) { return text.section(u' ', -1); }

/// The units of the cells that are not empty.
Units units_of(const QAbstractItemModel& table, int column) {
  Units units;
  for (int row = 0; row < table.rowCount(); ++row) {
    const QString text = table.index(row, column).data().toString();
    if (!text.isEmpty()) units.insert(unit_of(text));
  }
  return units;
}

class ColumnUnits : public testing::Test {
 protected:
  void SetUp() override {
    study_ = study_of(sample(u"gpt2_tiny"_s));
    plans_.set_study(study_);
  }

  void choose(const Choices& choices) {
    study_ = compute_study(study_->model, choices, study_.get(), Progress());
    plans_.set_study(study_);
  }

  /// The texts in a column of the plans, by the keys of the rows.
  Texts texts(int column, int role = Qt::DisplayRole) const {
    Texts texts;
    visit_all(plans_, {}, [&](const QModelIndex& index) {
      const QString text = index.siblingAtColumn(column).data(role).toString();
      if (!text.isEmpty()) texts[plans_.key(index)] = text;
    });
    return texts;
  }
  Units units(int column) const {
    Units units;
    for (const auto& [key, text] : texts(column)) units.insert(unit_of(text));
    return units;
  }

  std::shared_ptr<const Study> study_;
  PlanTreeModel plans_;
};

TEST_F(ColumnUnits, OfPlansAreTheSameInAllRows) {
  choose(with_plan(*study_, study_->choices, study_->plan_table->plans[0], true));
  Units alone;
  for (const auto& [key, bytes] : texts(Column::saving, PlanTreeModel::sort_role)) {
    alone.insert(unit_of(bytes_text(bytes.toLongLong())));
  }
  EXPECT_GT(alone.size(), 1U) << "by themselves they would have several";
  EXPECT_EQ(units(Column::saving).size(), 1U);
  for (const int column : byte_columns) EXPECT_EQ(units(column), units(Column::saving)) << column;
  EXPECT_EQ(units(Column::time).size(), 1U);
}

TEST_F(ColumnUnits, OfPlansStayWhenATickLeavesTheLargest) {
  const Texts bytes = texts(Column::saving);
  const Texts times = texts(Column::time);
  choose(with_plan(*study_, study_->choices, study_->plan_table->plans[0], true));
  EXPECT_EQ(texts(Column::saving), bytes);
  EXPECT_EQ(texts(Column::time), times);
}

TEST_F(ColumnUnits, OfPlansChangeInAllRowsWithTheLargest) {
  const Units before = units(Column::saving);
  const QSignalSpy reset(&plans_, &QAbstractItemModel::modelReset);
  std::set<QString> told;
  QObject::connect(&plans_, &QAbstractItemModel::dataChanged,
                   [&](const QModelIndex& first, const QModelIndex& last) {
                     EXPECT_EQ(first.column(), 0);
                     EXPECT_EQ(last.column(), plans_.columnCount() - 1);
                     for (int row = first.row(); row <= last.row(); ++row) {
                       told.insert(plans_.key(first.siblingAtRow(row)));
                     }
                   });
  Choices choices = study_->choices;
  choices.dims["inputs_input_ids_dim0"] = 1024;
  choose(choices);
  EXPECT_EQ(reset.count(), 0);
  EXPECT_NE(units(Column::saving), before);
  EXPECT_EQ(units(Column::saving).size(), 1U);
  const Texts all = texts(Column::plan);
  EXPECT_EQ(told.size(), all.size());
}

TEST_F(ColumnUnits, ToolTipsOfPlansHaveAllDigits) {
  const Texts numbers = texts(Column::saving, PlanTreeModel::sort_role);
  const Texts tips = texts(Column::saving, Qt::ToolTipRole);
  ASSERT_GT(numbers.size(), 40U);
  for (const auto& [key, number] : numbers) {
    const QString exact = exact_bytes_text(number.toLongLong()) + u'\n';
    EXPECT_TRUE(tips.at(key).startsWith(exact)) << tips.at(key).toStdString();
  }
  EXPECT_EQ(exact_bytes_text(671088640), u"671,088,640 B"_s);
}

TEST_F(ColumnUnits, OfOrdersStepsAndFusionsAreTheSameInAllRows) {
  OrderModel orders;
  orders.set_study(study_);
  StepModel steps;
  steps.set_study(study_);
  Units of_orders = units_of(orders, OrderModel::peak);
  of_orders.erase(unit_of(u"when chosen"_s));
  EXPECT_EQ(of_orders.size(), 1U);
  EXPECT_EQ(units_of(steps, StepModel::live), of_orders);
  FusionModel fusions;
  fusions.set_study(study_);
  fusions.set_rows(fusion_table(*study_, SearchedOrders::leave_out));
  EXPECT_EQ(units_of(fusions, FusionModel::peak), of_orders);
  const std::int64_t first = study_->current->timeline.live_bytes.front();
  EXPECT_EQ(steps.index(0, StepModel::live).data(Qt::ToolTipRole), exact_bytes_text(first));
}

TEST_F(ColumnUnits, OfOrdersHaveTheDecimalsOfTheCurrentPeak) {
  for (const int batch : {1, 64, 1024, 8192}) {
    Choices choices = study_->choices;
    choices.dims["inputs_input_ids_dim0"] = batch;
    choose(choices);
    OrderModel orders;
    orders.set_study(study_);
    std::set<qsizetype> decimals;
    for (int row = 0; row < orders.rowCount(); ++row) {
      const QString text = orders.index(row, OrderModel::peak).data().toString();
      if (text.contains(u"iB"_s)) {
        decimals.insert(text.section(u' ', 0, 0).section(u'.', 1).size());
      }
    }
    EXPECT_EQ(decimals.size(), 1U) << batch;
  }
}

TEST_F(ColumnUnits, TheCurrentPeakReadsTheSameEverywhere) {
  const Timeline& timeline = study_->current->timeline;
  const QString peak = bytes_text(timeline.peak_bytes);
  OrderModel orders;
  orders.set_study(study_);
  int chosen = 0;
  for (int row = 0; row < orders.rowCount(); ++row) {
    const QModelIndex cell = orders.index(row, OrderModel::peak);
    if (cell.siblingAtColumn(0).data(Qt::CheckStateRole) != Qt::Checked) continue;
    ++chosen;
    EXPECT_EQ(cell.data().toString(), peak);
  }
  EXPECT_EQ(chosen, 1);
  StepModel steps;
  steps.set_study(study_);
  EXPECT_EQ(steps.index(static_cast<int>(timeline.peak_slot), StepModel::live).data(), peak);
  FusionModel fusions;
  fusions.set_study(study_);
  fusions.set_rows(fusion_table(*study_, SearchedOrders::leave_out));
  EXPECT_EQ(fusions.index(0, FusionModel::peak).data(), peak) << "no fusion is chosen";
}

TEST_F(ColumnUnits, OfWhatIsAliveFollowTheLargest) {
  AliveModel alive;
  alive.set_moment(study_, study_->current->timeline.peak_slot);
  const QModelIndex largest = alive.index(0, AliveModel::bytes);
  const QString unit = unit_of(largest.data().toString());
  EXPECT_NE(unit, u"B"_s);
  const ColumnUnit size = byte_unit(largest.data(exact_role).toLongLong());
  int small = 0;
  for (int row = 0; row < alive.rowCount(); ++row) {
    const QModelIndex cell = alive.index(row, AliveModel::bytes);
    const qlonglong bytes = cell.data(exact_role).toLongLong();
    const bool reads_as_nothing =
        static_cast<double>(bytes) < 0.5 * std::pow(10, -size.digits) * size.size;
    if (bytes > 0 && reads_as_nothing) ++small;
    EXPECT_FALSE(cell.data().toString().contains(u'<'));
    EXPECT_EQ(unit_of(cell.data().toString()) == unit, bytes == 0 || !reads_as_nothing) << bytes;
  }
  EXPECT_GT(small, 0) << "these have a unit of their own";
  const QString last =
      alive.index(alive.rowCount() - 1, AliveModel::bytes).data(Qt::ToolTipRole).toString();
  EXPECT_EQ(unit_of(last), u"B"_s);
}

TEST_F(ColumnUnits, OfDifferencesAreTheirOwn) {
  Measurement run;
  run.live_bytes = study_->current->timeline.live_bytes;
  run.live_bytes.front() += 3000;
  run.live_bytes.back() -= 1;
  DifferenceModel model;
  model.set_differences(study_, measured_differences(*study_, *study_->current, run).slots);
  const Units units = units_of(model, DifferenceModel::predicted);
  EXPECT_EQ(units.size(), 1U);
  EXPECT_EQ(units_of(model, DifferenceModel::measured), units);
  const auto difference = [&](int row, int role) {
    return model.index(row, DifferenceModel::difference).data(role).toString();
  };
  EXPECT_EQ(difference(0, Qt::DisplayRole), u"+2.93 KiB"_s);
  EXPECT_EQ(difference(0, Qt::ToolTipRole), u"+3,000 B"_s);
  EXPECT_EQ(difference(1, Qt::DisplayRole), u"−<0.01 KiB"_s);
  EXPECT_EQ(difference(1, Qt::ToolTipRole), u"−1 B"_s);
  EXPECT_EQ(difference(2, Qt::DisplayRole), u"0"_s);
  EXPECT_EQ(model.index(1, DifferenceModel::difference).data(TableModel::sort_role), qlonglong{1});
}

}  // namespace column_units_test
}  // namespace stashscope::ui::test
