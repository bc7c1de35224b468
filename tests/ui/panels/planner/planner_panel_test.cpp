// The planner under mouse and keyboard.

#include <QComboBox>
#include <QDockWidget>
#include <QFile>

#include "core/recompute/apply.h"
#include "tests/ui/panels/planner/planner_test.h"
#include "ui/text/texts.h"
#include "ui/theme/theme.h"

namespace stashscope::ui::test {
namespace planner_panel_test {

using namespace Qt::StringLiterals;

TEST_F(Planner, ReturnPlansAndUndoReturns) {
  type_budget(u"70%"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  EXPECT_EQ(planning().job(), PlanningJob::budget);
  ASSERT_TRUE(ends());
  EXPECT_LE(peak(), share(70));
  EXPECT_NE(document().choices(), before_);
  EXPECT_TRUE(answer().contains(u"<b>met</b>"_s)) << answer().toStdString();
  EXPECT_TRUE(answer().contains(bytes_text(peak()))) << answer().toStdString();
  undo();
  EXPECT_EQ(document().choices(), before_);
  EXPECT_TRUE(answer().contains(u"was found, but is no longer in use"_s)) << answer().toStdString();
  EXPECT_FALSE(answer().contains(u"met"_s)) << answer().toStdString();
  click(find<QWidget>(u"use_plan_button"_s));
  ASSERT_TRUE(settles());
  EXPECT_TRUE(answer().contains(u"<b>met</b>"_s)) << answer().toStdString();
}

TEST_F(Planner, TheMousePlansToo) {
  const QPoint left(slider().width() / 8, slider().height() / 2);
  QTest::mouseClick(&slider(), Qt::LeftButton, {}, left);
  EXPECT_LT(slider().value(), 700);
  EXPECT_EQ(planning().job(), PlanningJob::none) << "the slider alone starts nothing";
  EXPECT_EQ(field().text(), u"%1 %"_s.arg(slider().value() / 10));
  choose_entry(u"grain"_s, 1);
  click(find<QWidget>(u"plan_button"_s));
  ASSERT_TRUE(ends());
  EXPECT_LE(peak(), share(slider().value() / 10) + 1);
  EXPECT_TRUE(document().choices().plans.sequence);
}

TEST_F(Planner, WhatIsKnownIsSaidAtOnce) {
  type_budget(u"70%"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  undo();
  slider().setFocus();
  QTest::keyClick(&slider(), Qt::Key_PageUp);
  EXPECT_EQ(slider().value(), 750);
  EXPECT_EQ(planning().job(), PlanningJob::none);
  EXPECT_TRUE(answer().startsWith(u"Known plan for "_s)) << answer().toStdString();
  click(find<QWidget>(u"use_plan_button"_s));
  ASSERT_TRUE(settles());
  EXPECT_LE(peak(), share(75));
  EXPECT_TRUE(answer().contains(u"in use"_s)) << answer().toStdString();
  EXPECT_FALSE(find<QWidget>(u"use_plan_button"_s).isVisible());
}

TEST_F(Planner, AChartWithoutTimesHasNoAxis) {
  const auto pixels_of_lines = [this] {
    const QImage picture = chart().grab().toImage();
    const QRgb line = theme_of(chart().palette()).line.rgb();
    int count = 0;
    for (int y = 0; y < picture.height(); ++y) {
      for (int x = 0; x < picture.width(); ++x) count += picture.pixel(x, y) == line ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(pixels_of_lines(), 0);
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  ASSERT_TRUE(settles());
  EXPECT_GT(pixels_of_lines(), 0) << "the step with plans has an extra time";
}

TEST_F(Planner, ReturnOnTheSliderPlans) {
  slider().setFocus();
  QTest::keyClick(&slider(), Qt::Key_Return);
  EXPECT_EQ(planning().job(), PlanningJob::budget);
  ASSERT_TRUE(ends());
}

TEST_F(Planner, FieldAndSliderStateTheSameBudget) {
  type_budget(u"50 %"_s);
  EXPECT_EQ(slider().value(), 500);
  EXPECT_TRUE(hint().contains(bytes_text(share(50)))) << hint().toStdString();
  type_budget(u"1KiB"_s);
  EXPECT_EQ(slider().value(), 0);
  EXPECT_TRUE(hint().contains(u"% of"_s)) << hint().toStdString();
  slider().setFocus();
  QTest::keyClick(&slider(), Qt::Key_End);
  EXPECT_EQ(field().text(), u"100 %"_s);
}

TEST_F(Planner, SaysHowABudgetIsWritten) {
  type_budget(u"lots"_s);
  EXPECT_FALSE(hint().contains(u"lots"_s)) << "nobody is blamed while typing";
  QTest::keyClick(&field(), Qt::Key_Return);
  EXPECT_EQ(planning().job(), PlanningJob::none);
  EXPECT_TRUE(hint().contains(u"lots"_s) && hint().contains(u"60%"_s)) << hint().toStdString();
  type_budget(u"70%"_s);
  EXPECT_FALSE(hint().contains(u"lots"_s));
}

TEST_F(Planner, AnUnreachableBudgetNamesTheFloor) {
  type_budget(u"1KiB"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  EXPECT_EQ(document().choices(), before_);
  const StepPeakBound* const floor = planning().floor(PlanGranularity::cluster);
  ASSERT_NE(floor, nullptr);
  EXPECT_TRUE(answer().contains(u"cannot be met"_s)) << answer().toStdString();
  EXPECT_TRUE(answer().contains(bytes_text(floor->bytes))) << answer().toStdString();
  ASSERT_FALSE(floor->tensors.empty());
  const Graph& graph = document().study()->graph();
  EXPECT_TRUE(
      details().contains(QString::fromStdString(graph.value(floor->tensors[0]).name).left(20)))
      << details().toStdString();
  click(find<QWidget>(u"use_plan_button"_s));
  ASSERT_TRUE(settles());
  EXPECT_LT(peak(), share(100)) << "the lowest peak that was found";
}

class EndlessSearch : public Planner {
 protected:
  void SetUp() override {
    Planner::SetUp();
    set_time_limit(3600);
    choose_entry(u"grain"_s, 2);
    type_budget(u"60%"_s);
    QTest::keyClick(&field(), Qt::Key_Return);
    ASSERT_TRUE(comes_true([this] { return answer().contains(u"Cheapest plan so far"_s); }));
  }
  void expect_best_so_far() {
    EXPECT_LE(peak(), share(60));
    EXPECT_TRUE(answer().contains(u"<b>met</b>"_s)) << answer().toStdString();
    undo();
    EXPECT_EQ(document().choices(), before_);
  }
};

TEST_F(EndlessSearch, IsStoppedByTheMouse) {
  EXPECT_FALSE(find<QWidget>(u"plan_button"_s).isVisible());
  EXPECT_TRUE(find<QWidget>(u"planning_progress"_s).isVisible());
  click(find<QWidget>(u"stop_planning_button"_s));
  ASSERT_TRUE(ends());
  EXPECT_FALSE(find<QWidget>(u"planning_progress"_s).isVisible());
  expect_best_so_far();
}

TEST_F(EndlessSearch, TellsHowNearItIsToTheCheapest) {
  const auto says = [this](const QString& text) { return answer().contains(text); };
  EXPECT_TRUE(comes_true([&] {
    return says(u"slower than the cheapest"_s) || says(u"proven to be the cheapest"_s);
  })) << answer().toStdString();
  EXPECT_EQ(planning().job(), PlanningJob::budget);
}

TEST_F(Planner, TellsTheFloorWhileNothingIsLowEnough) {
  set_time_limit(3600);
  type_budget(u"1KiB"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_TRUE(comes_true([this] { return answer().contains(u"Lower bound"_s); }))
      << answer().toStdString();
  EXPECT_EQ(planning().job(), PlanningJob::budget);
  EXPECT_TRUE(answer().contains(bytes_text(planning().floor(PlanGranularity::cluster)->bytes)));
  press(Qt::Key_Period, Qt::ControlModifier);
  ASSERT_TRUE(ends());
}

TEST_F(Planner, TheKeysStayAtTheButtons) {
  auto& plan = find<QWidget>(u"plan_button"_s);
  plan.setFocus();
  QTest::keyClick(&plan, Qt::Key_Space);
  EXPECT_TRUE(find<QWidget>(u"stop_planning_button"_s).hasFocus());
  ASSERT_TRUE(ends());
  EXPECT_TRUE(plan.hasFocus());
}

TEST_F(EndlessSearch, IsStoppedByAKey) {
  press(Qt::Key_Period, Qt::ControlModifier);
  ASSERT_TRUE(ends());
  expect_best_so_far();
}

TEST_F(EndlessSearch, TheRestOfTheWindowGoesOn) {
  Choices choices = document().choices();
  choices.device = "cpu";
  document().choose(choices, u"meanwhile"_s);
  ASSERT_TRUE(settles());
  EXPECT_EQ(planning().job(), PlanningJob::budget);
  open(sample(u"lenet"_s));
  EXPECT_EQ(planning().job(), PlanningJob::none);
  EXPECT_TRUE(chart().points().empty());
  EXPECT_FALSE(answer().contains(u"so far"_s)) << answer().toStdString();
}

class Curve : public Planner {
 protected:
  void SetUp() override {
    Planner::SetUp();
    set_time_limit(2);
  }
  QPoint at(std::size_t point) { return chart().map().at(chart().points()[point]).toPoint(); }
  /// The answer below the chart may change the chart's height some events later, so the mouse
  /// follows the point.
  bool hovering_reads(std::size_t point, const QString& text) {
    return comes_true([&] {
      QTest::mouseMove(&chart(), at(point));
      return chart().readout().contains(text);
    });
  }
};

TEST_F(Curve, AClickLoadsAPoint) {
  click(find<QWidget>(u"curve_button"_s));
  ASSERT_TRUE(ends());
  ASSERT_GT(chart().points().size(), 2U);
  EXPECT_EQ(document().choices(), before_);
  const std::int64_t lowest = chart().points()[0].peak_bytes;
  EXPECT_TRUE(hovering_reads(0, bytes_text(lowest))) << chart().readout().toStdString();
  QTest::mouseClick(&chart(), Qt::LeftButton, {}, at(0));
  ASSERT_TRUE(settles());
  EXPECT_EQ(peak(), lowest);
  undo();
  EXPECT_EQ(document().choices(), before_);
}

TEST_F(Curve, KeysLoadAPoint) {
  press(Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_TRUE(ends());
  ASSERT_GT(chart().points().size(), 2U);
  chart().setFocus();
  EXPECT_TRUE(chart().readout().isEmpty());
  QTest::keyClick(&chart(), Qt::Key_Home);
  QTest::keyClick(&chart(), Qt::Key_Right);
  const std::int64_t second = chart().points()[1].peak_bytes;
  EXPECT_TRUE(chart().readout().contains(bytes_text(second))) << chart().readout().toStdString();
  QTest::keyClick(&chart(), Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(peak(), second);
  QTest::keyClick(&chart(), Qt::Key_End);
  QTest::keyClick(&chart(), Qt::Key_Right);
  EXPECT_TRUE(chart().readout().contains(bytes_text(chart().points().back().peak_bytes)));
  undo();
  EXPECT_EQ(document().choices(), before_);
}

TEST_F(Curve, CanBeStopped) {
  set_time_limit(3600);
  click(find<QWidget>(u"curve_button"_s));
  ASSERT_TRUE(comes_true([this] { return chart().points().size() > 1; }));
  click(find<QWidget>(u"stop_planning_button"_s));
  ASSERT_TRUE(ends());
  EXPECT_GT(chart().points().size(), 1U);
}

TEST_F(Planner, WithoutPlansItDoesNotAskToPressPlan) {
  open(sample(u"lenet"_s));
  type_budget(u"95%"_s);
  EXPECT_TRUE(answer().startsWith(u"Nothing to plan: "_s)) << answer().toStdString();
  choose_entry(u"grain"_s, 1);
  EXPECT_TRUE(answer().startsWith(u"Press Plan "_s)) << answer().toStdString();
}

TEST_F(Planner, GrainsSayHowTheyLeaveTheTool) {
  const auto& grain = find<QComboBox>(u"grain"_s);
  const QStringList ways = {u"config string"_s, u"model"_s, u"model"_s, u"says why"_s};
  for (int i = 0; i < grain.count(); ++i) {
    EXPECT_TRUE(grain.itemData(i, Qt::ToolTipRole).toString().contains(ways[i])) << i;
  }
  choose_entry(u"grain"_s, 2);
  EXPECT_EQ(grain.toolTip(), grain.itemData(2, Qt::ToolTipRole).toString());
}

TEST_F(Planner, SaysWhatTheConfigStringLeadsToIfThatDiffers) {
  const auto& label = find<QLabel>(u"export_hint"_s);
  EXPECT_TRUE(label.isHidden()) << "no plan is on";
  const PlanCounts counts =
      count_plans(select_plans(*document().study()->opportunities,
                               config_of_all(*document().study()->opportunities, false)));
  const auto several =
      std::ranges::find_if(counts, [](const auto& each) { return each.second > 1; });
  ASSERT_NE(several, counts.end());
  const auto& [cluster, type] = several->first;
  Choices choices = document().choices();
  choices.plans.config = {{cluster, {type, 1}}};
  document().choose(choices, u"one"_s);
  ASSERT_TRUE(settles());
  ASSERT_TRUE(comes_true([&] { return !label.isHidden(); }));
  const QString one = label.text();
  choices.plans.config = {{cluster, {type, -1}}};
  document().choose(choices, u"all"_s);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(one.contains(u"ignores counts"_s)) << one.toStdString();
  EXPECT_TRUE(one.contains(u"a peak of <b>%1</b>"_s.arg(bytes_text(peak())))) << one.toStdString();
  QTest::qWait(300);
  EXPECT_TRUE(label.isHidden()) << "ONNX Runtime runs the same plans";
  choices.graph.passes.insert("keep_loss_only");
  document().choose(choices, u"a pass"_s);
  ASSERT_TRUE(settles());
  ASSERT_TRUE(comes_true([&] { return !label.isHidden(); }));
  EXPECT_TRUE(label.text().contains(u"leaves out the passes"_s)) << label.text().toStdString();
}

TEST_F(Planner, TheDeviceOfTheTimesIsChosenAndUndone) {
  auto& profile = find<QComboBox>(u"profile"_s);
  const int other = profile.currentIndex() == 0 ? 1 : 0;
  choose_entry(u"profile"_s, other);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().study()->choices.times.profile,
            device_profiles()[static_cast<std::size_t>(other)]);
  undo();
  EXPECT_EQ(document().choices(), before_);
  EXPECT_NE(profile.currentIndex(), other);
}

TEST_F(Planner, TheDeviceOfTheTimesMayComeFromAFile) {
  const QString path = in_folder(u"mine.json"_s);
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(
      R"({"name": "mine", "memory_bytes": 1073741824, "bandwidth": 1e11, "link_bandwidth": 1e10,
                 "launch_seconds": 5e-6, "vector_flops": {"float32": 1e12}})");
  file.close();
  auto& profile = find<QComboBox>(u"profile"_s);
  click(find<QWidget>(u"profile_from_file"_s));
  answer_file_dialog(u"profile_dialog"_s, path);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().times.profile.name, "mine") << message().toStdString();
  EXPECT_EQ(profile.currentText(), u"mine"_s);
  profile.setFocus();
  QTest::keyClick(&profile, Qt::Key_Up);
  ASSERT_TRUE(settles());
  EXPECT_NE(document().choices().times.profile.name, "mine");
  undo();
  Q_EMIT profile.activated(profile.currentIndex());
  EXPECT_EQ(message(), u""_s) << "what is in force can be chosen again";
  EXPECT_EQ(document().choices().times.profile.name, "mine");
  undo();
  EXPECT_EQ(profile.findText(u"mine"_s), -1);
}

TEST_F(Planner, AFileThatIsNoProfileIsAMessage) {
  const QString path = in_folder(u"broken.json"_s);
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("{}");
  file.close();
  click(find<QWidget>(u"profile_from_file"_s));
  answer_file_dialog(u"profile_dialog"_s, path);
  EXPECT_TRUE(message().contains(u"broken.json"_s)) << message().toStdString();
  EXPECT_EQ(document().choices(), before_);
}

TEST_F(Planner, ANumberWithoutAUnitIsInGibibytes) {
  constexpr std::int64_t gibibyte = 1 << 30;
  auto& toolbar = find<QLineEdit>(u"toolbar_budget"_s);
  for (QLineEdit* const each : {&field(), &toolbar}) {
    EXPECT_EQ(each->placeholderText(), u"GiB"_s);
    type_into(*each, u"24"_s);
    EXPECT_EQ(each->text(), u"24"_s) << "the user may go on typing";
    press(Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
    ASSERT_TRUE(ends());
    EXPECT_EQ(planning().request().budget_bytes, 24 * gibibyte);
    type_into(*each, u"1.5"_s);
    QTest::keyClick(each, Qt::Key_Return);
    EXPECT_EQ(field().text(), u"1.5 GiB"_s);
    EXPECT_EQ(toolbar.text(), u"1.5 GiB"_s);
    ASSERT_TRUE(ends());
    EXPECT_EQ(planning().request().budget_bytes, 3 * gibibyte / 2);
  }
  type_budget(u"-4"_s);
  QTest::keyClick(&field(), Qt::Key_Tab);
  EXPECT_EQ(field().text(), u"-4 GiB"_s);
  EXPECT_TRUE(hint().startsWith(u"0 %"_s)) << hint().toStdString();
}

TEST_F(Planner, UndoInABudgetFieldTakesThePlanBack) {
  for (const QString& name : {u"budget_field"_s, u"toolbar_budget"_s}) {
    SCOPED_TRACE(name.toStdString());
    auto& line = find<QLineEdit>(name);
    type_into(line, u"60%"_s);
    QTest::keyClick(&line, Qt::Key_Return);
    ASSERT_TRUE(ends());
    ASSERT_NE(document().choices(), before_);
    line.setFocus();
    QTest::keyClicks(&line, u"1"_s);
    const Choices planned = document().choices();
    QTest::keyClick(&line, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(line.text(), u"60%"_s) << "a half typed amount comes first";
    EXPECT_EQ(document().choices(), planned);
    QTest::keyClick(&line, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(line.text(), u"60%"_s);
    EXPECT_EQ(document().choices(), before_);
    ASSERT_TRUE(settles());
  }
}

TEST_F(Planner, TheToolbarHasTheBudgetToo) {
  find<QDockWidget>(u"plans_dock"_s).raise();
  auto& toolbar = find<QLineEdit>(u"toolbar_budget"_s);
  type_into(toolbar, u"70%"_s);
  EXPECT_EQ(field().text(), u"70%"_s);
  QTest::keyClick(&toolbar, Qt::Key_Return);
  EXPECT_TRUE(field().isVisible()) << "the planner comes to the front";
  ASSERT_TRUE(ends());
  EXPECT_LE(peak(), share(70));
  slider().setFocus();
  QTest::keyClick(&slider(), Qt::Key_End);
  EXPECT_EQ(toolbar.text(), u"100 %"_s);
}

}  // namespace planner_panel_test
}  // namespace stashscope::ui::test
