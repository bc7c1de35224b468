// The tables' models keep the rules of Qt's views while studies come and go.

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include "core/study/edits.h"
#include "core/study/subject.h"
#include "tests/support/model_builder.h"
#include "tests/ui/support/samples.h"
#include "ui/graph/graph_painter.h"
#include "ui/models/alive_model.h"
#include "ui/models/difference_model.h"
#include "ui/models/order_model.h"
#include "ui/models/plan_model.h"
#include "ui/models/texts.h"

namespace stashscope::ui::test {
namespace {

using namespace Qt::StringLiterals;
using Reporting = QAbstractItemModelTester::FailureReportingMode;

class Models : public testing::Test {
 protected:
  static std::shared_ptr<const Study> study_of(const QString& path, const Choices& choices = {}) {
    const Subject subject = load_subject(path.toStdString(), nullptr);
    return compute_study(subject.model, choices, nullptr, Progress());
  }

  /// Studies one after the other, as a user makes them.
  void walk(const std::function<void(std::shared_ptr<const Study>)>& show) {
    const auto first = study_of(sample(u"gpt2_tiny"_s));
    show(first);
    show(compute_study(first->model, with_plan(*first, first->choices, first->plans[0], true),
                       first.get(), Progress()));
    show(study_of(sample(u"lenet"_s)));
    show(nullptr);
    show(first);
    show(nullptr);
    show(nullptr);
  }
};

TEST_F(Models, PlansKeepTheRules) {
  PlanModel model;
  const QAbstractItemModelTester tester(&model, Reporting::Warning);
  walk([&](auto study) { model.set_study(study); });
}

TEST_F(Models, OrdersKeepTheRules) {
  OrderModel model;
  const QAbstractItemModelTester tester(&model, Reporting::Warning);
  walk([&](auto study) { model.set_study(study); });
}

TEST_F(Models, WhatIsAliveKeepsTheRules) {
  AliveModel model;
  const QAbstractItemModelTester tester(&model, Reporting::Warning);
  walk([&](auto study) {
    for (const std::size_t step : {0, 50, 3}) model.set_moment(study, step);
  });
}

TEST_F(Models, WhatIsAliveHasTheColourOfItsLifetime) {
  AliveModel model;
  const auto study = study_of(sample(u"gpt2_tiny"_s));
  const Timeline& timeline = study->current->timeline;
  model.set_moment(study, timeline.peak_step);
  const auto alive = alive_at(timeline, timeline.peak_step);
  for (int row = 0; row < model.rowCount(); ++row) {
    const Buffer& buffer = timeline.buffers[alive[static_cast<std::size_t>(row)]];
    const auto colour =
        model.index(row, AliveModel::tensor).data(Qt::DecorationRole).value<QColor>();
    const double share =
        (buffer.last_step - buffer.first_step + 1) / static_cast<double>(timeline.order.size());
    EXPECT_EQ(colour, buffer.resident ? QColor(Qt::transparent) : lifetime_colour(share));
  }
}

TEST_F(Models, DifferencesKeepTheRules) {
  DifferenceModel model;
  const QAbstractItemModelTester tester(&model, Reporting::Warning);
  walk([&](std::shared_ptr<const Study> study) {
    if (study == nullptr) return model.set_differences(nullptr, {});
    Measurement run;
    run.live_bytes = study->current->timeline.live_bytes;
    run.live_bytes.front() += 7;
    model.set_differences(study, measured_differences(*study, *study->current, run));
    ASSERT_EQ(model.rowCount(), std::ssize(run.live_bytes));
    EXPECT_EQ(model.index(0, DifferenceModel::difference).data(), u"+7 B"_s);
    EXPECT_EQ(model.index(1, DifferenceModel::difference).data(), u"0"_s);
    EXPECT_EQ(model.index(0, DifferenceModel::cause).data(), u"not explained"_s);
  });
}

TEST_F(Models, TickingAsksAndChangesNothingItself) {
  PlanModel model;
  model.set_study(study_of(sample(u"gpt2_tiny"_s)));
  QSignalSpy wanted(&model, &PlanModel::switch_wanted);
  const QModelIndex index = model.index(1, PlanModel::plan);
  EXPECT_TRUE(model.setData(index, Qt::Checked, Qt::CheckStateRole));
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted[0][0], 1);
  EXPECT_EQ(wanted[0][1], true);
  EXPECT_EQ(index.data(Qt::CheckStateRole), Qt::Unchecked);
  EXPECT_FALSE(model.setData(index, 3, Qt::EditRole));
}

TEST_F(Models, TheSameRowsAreNotReset) {
  PlanModel model;
  const auto study = study_of(sample(u"gpt2_tiny"_s));
  model.set_study(study);
  QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
  QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
  model.set_study(compute_study(study->model,
                                with_plan(*study, study->choices, study->plans[0], true),
                                study.get(), Progress()));
  EXPECT_EQ(reset.count(), 0);
  EXPECT_EQ(changed.count(), 1);
}

TEST_F(Models, EveryCellOfEveryRowHasAText) {
  PlanModel model;
  model.set_study(study_of(sample(u"gpt2_tiny"_s)));
  for (int row = 0; row < model.rowCount(); ++row) {
    for (int column = 0; column < model.columnCount(); ++column) {
      EXPECT_FALSE(model.index(row, column).data().toString().isEmpty());
      EXPECT_FALSE(model.index(row, column).data(Qt::ToolTipRole).toString().isEmpty());
    }
  }
}

TEST_F(Models, NoPlansHaveAReason) {
  const Graph fixed = stashscope::test::perceptron().build();
  auto study = compute_study(std::make_shared<const Graph>(fixed), {}, nullptr, Progress());
  EXPECT_FALSE(no_plans_text(*study).isEmpty());
  const QString resnet = shared_model(u"resnet50_train_fwd"_s);
  if (!QFileInfo::exists(resnet)) GTEST_SKIP() << "needs resnet50";
  EXPECT_TRUE(no_plans_text(*study_of(resnet)).contains(u"Conv ("_s));
}

TEST(Texts, Changes) {
  EXPECT_EQ(change_text(100, 71), u"−29 %"_s);
  EXPECT_EQ(change_text(1000, 1041), u"+4.1 %"_s);
  EXPECT_EQ(change_text(1000, 1000), u"±0 %"_s);
  EXPECT_EQ(change_text(0, 5), u"±0 %"_s);
}

}  // namespace
}  // namespace stashscope::ui::test
