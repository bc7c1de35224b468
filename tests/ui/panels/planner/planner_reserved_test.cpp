// Budgets and largest sizes for what PyTorch's allocator reserves, asked in the window.

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QStyleOptionComboBox>
#include <QToolButton>

#include "core/study/reserved/reserved_memory.h"
#include "tests/ui/panels/planner/planner_reserved.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace planner_reserved_test {

using namespace Qt::StringLiterals;

TEST_F(PlannerReserved, IsOffUntilAnAllocatorIsChosen) {
  EXPECT_FALSE(fits().isEnabled());
  EXPECT_EQ(fits().currentText(), u"tensors"_s);
  EXPECT_TRUE(fits().toolTip().contains(u"allocator first"_s)) << fits().toolTip().toStdString();
  switch_allocator();
  EXPECT_TRUE(fits().isEnabled());
  EXPECT_EQ(fits().currentText(), u"tensors"_s) << "nothing else is chosen by the way";
  EXPECT_FALSE(fits().toolTip().contains(u"first"_s));
  EXPECT_FALSE(fits().accessibleName().isEmpty());
  choose_entry(u"planner_fits"_s, 1);
  switch_allocator();
  EXPECT_FALSE(fits().isEnabled());
  EXPECT_EQ(fits().currentText(), u"tensors"_s);
  switch_allocator();
  EXPECT_EQ(fits().currentText(), u"reserved memory"_s) << "the choice is kept meanwhile";
}

TEST_F(PlannerReserved, FollowsTheBudgetInTheOrderOfTab) {
  switch_allocator();
  field().setFocus();
  QTest::keyClick(&field(), Qt::Key_Tab);
  EXPECT_TRUE(fits().hasFocus());
}

TEST_F(PlannerReserved, IsWholeOnASmallScreen) {
  switch_allocator();
  choose_entry(u"planner_fits"_s, 1);
  window().resize(1366, 768);
  for (const QString& workspace : {u"workspace_plan"_s, u"workspace_fit"_s}) {
    find<QAction>(workspace).trigger();
    find<QAction>(u"set_budget"_s).trigger();
    QCoreApplication::processEvents();
    EXPECT_EQ(fits().visibleRegion().boundingRect(), fits().rect()) << workspace.toStdString();
    QStyleOptionComboBox option;
    option.initFrom(&fits());
    const QRect text = fits().style()->subControlRect(QStyle::CC_ComboBox, &option,
                                                      QStyle::SC_ComboBoxEditField, &fits());
    EXPECT_GE(text.width(), fits().fontMetrics().horizontalAdvance(fits().currentText()));
  }
}

TEST_F(PlannerReserved, TheChartOfPeaksHasNoLineForTheBudget) {
  plan_for(u"22 MiB"_s);
  switch_allocator();
  const auto picture = [this] { return chart().grab().toImage(); };
  const QImage with_line = picture();
  choose_entry(u"planner_fits"_s, 1);
  EXPECT_NE(picture(), with_line);
  choose_entry(u"planner_fits"_s, 0);
  EXPECT_EQ(picture(), with_line);
}

TEST_F(PlannerReserved, ABudgetHasTheAnswerOfTheEngine) {
  switch_allocator();
  choose_entry(u"planner_fits"_s, 1);
  set_time_limit(2);
  const auto study = document().study();
  ASSERT_LT(peak(), 25 * mebibyte) << "the tensors fit without a plan";
  for (const std::int64_t budget : {25 * mebibyte, 22 * mebibyte}) {
    const BudgetAnswer expected = engine_answer(*study, budget);
    ASSERT_TRUE(expected.feasible);
    plan_for(QString::number(budget) + u" B"_s);
    ASSERT_NE(planning().answer(), nullptr);
    EXPECT_TRUE(planning().answer()->feasible);
    EXPECT_EQ(planning().answer()->best.choices.plans, expected.best.choices.plans);
    EXPECT_EQ(planning().answer()->best.extra_seconds, expected.best.extra_seconds);
    EXPECT_EQ(peak(), expected.best.peak_bytes);
    EXPECT_EQ(reserved(), expected.reserved_bytes);
    const QString told = u"reserved %1, peak %2"_s.arg(bytes_text(reserved()), bytes_text(peak()));
    EXPECT_TRUE(answer().contains(told)) << answer().toStdString();
    EXPECT_FALSE(find<QWidget>(u"use_plan_button"_s).isVisible());
    undo();
    EXPECT_TRUE(answer().contains(u"no longer in use"_s)) << answer().toStdString();
    EXPECT_TRUE(answer().contains(told)) << answer().toStdString();
    EXPECT_TRUE(find<QWidget>(u"use_plan_button"_s).isVisible());
  }
}

TEST_F(PlannerReserved, ABudgetThatIsNotMetOffersThePlanThatReservesLeast) {
  switch_allocator();
  choose_entry(u"planner_fits"_s, 1);
  const std::int64_t budget = 4 * mebibyte;  // not proven impossible, but never found
  const Choices before = document().choices();
  const std::int64_t without_plans = reserved();
  plan_for(QString::number(budget) + u" B"_s);
  EXPECT_EQ(document().choices(), before);
  ASSERT_NE(planning().answer(), nullptr);
  ASSERT_TRUE(planning().answer()->reserved_bytes);
  EXPECT_TRUE(answer().contains(u"for reserved memory <b>is not met</b>. Least found"_s))
      << answer().toStdString();
  EXPECT_TRUE(answer().contains(bytes_text(*planning().answer()->reserved_bytes)));
  auto& use = find<QPushButton>(u"use_plan_button"_s);
  EXPECT_EQ(use.text(), u"Use the plan that reserves least"_s);
  click(use);
  ASSERT_TRUE(settles());
  EXPECT_EQ(reserved(), planning().answer()->reserved_bytes);
  EXPECT_LT(reserved(), without_plans);
}

TEST_F(PlannerReserved, SaysWhatIsReservedWhereNoPlanIsNeeded) {
  switch_allocator();
  choose_entry(u"planner_fits"_s, 1);
  type_budget(QString::number(reserved()) + u" B"_s);
  EXPECT_TRUE(answer().contains(u"meet the budget: reserved "_s + bytes_text(reserved())))
      << answer().toStdString();
  type_budget(QString::number(reserved() - 1) + u" B"_s);
  ASSERT_LT(peak(), reserved() - 1);
  EXPECT_TRUE(answer().contains(u"Press Plan"_s)) << answer().toStdString();
  choose_entry(u"planner_fits"_s, 0);
  EXPECT_TRUE(answer().contains(u"meet the budget: peak "_s + bytes_text(peak())))
      << answer().toStdString();
}

TEST_F(PlannerReserved, APlanForTensorsSaysWhatIsReservedAboveTheBudget) {
  plan_for(u"20 MiB"_s);
  const QString above = u"more than the budget"_s;
  EXPECT_FALSE(answer().contains(above)) << "no allocator is chosen";
  switch_allocator();
  ASSERT_GT(reserved(), 20 * mebibyte);
  EXPECT_TRUE(answer().contains(above)) << answer().toStdString();
  EXPECT_TRUE(answer().contains(bytes_text(reserved()))) << answer().toStdString();
  choose_entry(u"planner_fits"_s, 1);
  EXPECT_FALSE(answer().contains(above)) << "the answer was for tensors";
}

TEST_F(PlannerReserved, TheCurveIsOffAndSaysWhy) {
  switch_allocator();
  auto& curve = find<QPushButton>(u"curve_button"_s);
  EXPECT_TRUE(curve.isEnabled());
  choose_entry(u"planner_fits"_s, 1);
  EXPECT_FALSE(curve.isEnabled());
  EXPECT_TRUE(curve.toolTip().contains(u"is for tensors"_s)) << curve.toolTip().toStdString();
  find<QAction>(u"draw_curve"_s).trigger();
  EXPECT_EQ(planning().job(), PlanningJob::none);
  EXPECT_TRUE(message().contains(u"is for tensors"_s)) << message().toStdString();
  choose_entry(u"planner_fits"_s, 0);
  EXPECT_TRUE(curve.isEnabled());
}

TEST_F(PlannerReserved, OtherSettingsOrAnotherChoiceEndTheSearch) {
  switch_allocator();
  choose_entry(u"planner_fits"_s, 1);
  set_time_limit(600);
  const auto begin = [this] {
    type_budget(u"22 MiB"_s);
    QTest::keyClick(&field(), Qt::Key_Return);
    ASSERT_EQ(planning().job(), PlanningJob::budget);
    EXPECT_TRUE(answer().contains(u"22.0 MiB of reserved memory"_s)) << answer().toStdString();
  };
  begin();
  choose([](Choices& choices) { choices.allocator = "expandable_segments:True"; });
  EXPECT_EQ(planning().job(), PlanningJob::none);
  EXPECT_TRUE(document().choices().plans.config.empty());
  begin();
  choose_entry(u"planner_fits"_s, 0);
  EXPECT_EQ(planning().job(), PlanningJob::none);
  EXPECT_TRUE(document().choices().plans.config.empty());
}

TEST_F(PlannerReserved, AnAnswerHoldsForItsSettingsOnly) {
  switch_allocator();
  choose_entry(u"planner_fits"_s, 1);
  plan_for(u"25 MiB"_s);
  const QString met = u"is <b>met</b>"_s;
  ASSERT_TRUE(answer().contains(met)) << answer().toStdString();
  choose([](Choices& choices) { choices.allocator = "expandable_segments:False"; });
  EXPECT_TRUE(answer().contains(met)) << "the same by other words: " << answer().toStdString();
  choose([](Choices& choices) { choices.allocator = "roundup_power2_divisions:2"; });
  EXPECT_FALSE(answer().contains(met)) << answer().toStdString();
}

TEST_F(PlannerReserved, TheChoiceIsKeptInTheSession) {
  switch_allocator();
  choose_entry(u"planner_fits"_s, 1);
  const QString session = in_folder(u"way.stashscope"_s);
  document().save_session_as(session);
  ASSERT_TRUE(comes_true([&] { return document().files().session_path() == session; }));
  open(sample(u"lenet"_s));
  switch_allocator();
  EXPECT_EQ(fits().currentText(), u"tensors"_s) << "another model has its own choice";
  open(session);
  EXPECT_TRUE(fits().isEnabled());
  EXPECT_EQ(fits().currentText(), u"reserved memory"_s);
}

TEST_F(PlannerReserved, TheChartAndTheBarSayWhichMemoryTheyMean) {
  plan_for(u"22 MiB"_s);
  EXPECT_TRUE(bar().contains(u"tensors fit "_s)) << bar().toStdString();
  EXPECT_FALSE(bar().contains(u"reserved"_s)) << bar().toStdString();
  EXPECT_FALSE(chart().title().contains(u"tensors"_s)) << "there is no other memory";
  EXPECT_EQ(chart().budget_text(), u"budget"_s);
  switch_allocator();
  EXPECT_TRUE(bar().contains(u"reserved memory fits "_s) || bar().contains(u"but <span"_s))
      << bar().toStdString();
  EXPECT_TRUE(chart().title().contains(u"of the tensors"_s)) << chart().title().toStdString();
  EXPECT_EQ(chart().budget_text(), u"budget for tensors"_s);
  set_device_memory(reserved() / 2);
  EXPECT_TRUE(bar().contains(u"reserved memory <span"_s)) << bar().toStdString();
  choose_entry(u"planner_fits"_s, 1);
  EXPECT_EQ(chart().budget_text(), QString()) << "the chart has no line for reserved memory";
}

TEST_F(PlannerReserved, MakeItFitPlansForTensorsWithoutAnAllocator) {
  document().set_fits_reserved(true);
  set_device_memory(21 * mebibyte);
  EXPECT_FALSE(make_fit().toolTip().contains(u"reserved"_s));
  click(make_fit());
  ASSERT_TRUE(ends());
  ASSERT_NE(planning().answer(), nullptr);
  EXPECT_TRUE(planning().answer()->feasible);
  EXPECT_FALSE(planning().answer()->reserved_bytes);
  EXPECT_EQ(fits().currentText(), u"tensors"_s);
}

TEST_F(PlannerReserved, TheLargestSizesFitWhenTheyAreReserved) {
  switch_allocator();
  choose_entry(u"planner_fits"_s, 1);
  const std::int64_t memory_bytes = peak();
  set_device_memory(memory_bytes);
  const auto study = document().study();
  type_into(find<QLineEdit>(u"fit_memory"_s), QString::number(memory_bytes) + u" B"_s);
  type_into(*find<QComboBox>(u"fit_dimension"_s).lineEdit(), u"inputs_input_ids_dim0"_s);
  QTest::keyClick(&find<QComboBox>(u"fit_dimension"_s), Qt::Key_Return);
  ASSERT_TRUE(ends());
  const FitQuestion question{{}, {"inputs_input_ids_dim0"}, memory_bytes, AllocatorSettings()};
  const LargestFit expected = largest_fit(*study, question, Progress());
  ASSERT_NE(planning().fit(), nullptr) << sizes().toStdString();
  const FitPoint& largest = *planning().fit()->current.largest;
  EXPECT_EQ(largest.value, expected.current.largest->value);
  EXPECT_EQ(largest.reserved_bytes, expected.current.largest->reserved_bytes);
  ASSERT_TRUE(largest.reserved_bytes) << sizes().toStdString();
  const QString told = u"reserved %1"_s.arg(bytes_text(*largest.reserved_bytes));
  EXPECT_TRUE(sizes().contains(told)) << sizes().toStdString();
  EXPECT_TRUE(status().contains(u"reserved memory fits "_s)) << status().toStdString();
  ASSERT_NE(planning().replanned(), nullptr) << sizes().toStdString();
  const PlannedFit planned = *planning().replanned()->largest;
  ASSERT_TRUE(planned.reserved_bytes);
  EXPECT_GT(planned.value, largest.value) << "plans help";
  EXPECT_TRUE(sizes().contains(u"reserved %1"_s.arg(bytes_text(*planned.reserved_bytes))))
      << sizes().toStdString();
  auto& use = find<QPushButton>(u"use_replanned_button"_s);
  choose_entry(u"planner_fits"_s, 0);
  EXPECT_FALSE(use.isVisible());
  EXPECT_FALSE(sizes().contains(told)) << "the answer was for reserved memory";
  choose_entry(u"planner_fits"_s, 1);
  click(use);
  ASSERT_TRUE(settles());
  EXPECT_EQ(reserved(), planned.reserved_bytes);
  EXPECT_LE(reserved(), memory_bytes);
  EXPECT_TRUE(bar().contains(u"fits "_s)) << bar().toStdString();
  choose([](Choices& choices) { choices.allocator = "roundup_power2_divisions:2"; });
  EXPECT_FALSE(sizes().contains(u"In use"_s)) << "other settings: " << sizes().toStdString();
  EXPECT_FALSE(status().contains(u"reserved memory fits "_s)) << status().toStdString();
}

TEST_F(PlannerReserved, MovesSayWhatIsReservedAfterThem) {
  auto& move = find<QPushButton>(u"answer_move_0"_s);
  const auto is_offered = [&] { return move.isVisible(); };
  ASSERT_TRUE(comes_true(is_offered));
  EXPECT_FALSE(move.toolTip().contains(u"reserves"_s)) << "no allocator is chosen";
  switch_allocator();
  ASSERT_TRUE(comes_true(is_offered));
  const QString tip = move.toolTip();
  const std::int64_t before = peak();
  click(move);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(tip.contains(u"then reserves "_s + exact_bytes_text(reserved())))
      << tip.toStdString();
  EXPECT_TRUE(tip.contains(exact_bytes_text(before - peak()))) << tip.toStdString();
}

}  // namespace planner_reserved_test
}  // namespace stashscope::ui::test
