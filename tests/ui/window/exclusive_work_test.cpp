// Runs and searches exclude each other, and each waiting task says what it waits for.

#include <QComboBox>
#include <QDockWidget>
#include <QPushButton>
#include <QSpinBox>

#include "tests/ui/support/window_test.h"
#include "ui/document/run_settings.h"
#include "ui/memory/sweep_chart.h"

namespace stashscope::ui::test {
namespace exclusive_work_test {

using namespace Qt::StringLiterals;

class ExclusiveWorkTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
    RunRequest request;
    request.counts.repeats = most_runs;
    document().run_job().set_request(request);
    press(Qt::Key_B, Qt::ControlModifier);
    ASSERT_TRUE(field().hasFocus());
  }
  void TearDown() override {
    document().run_job().cancel();
    WindowTest::TearDown();
  }

  QLineEdit& field() { return find<QLineEdit>(u"budget_field"_s); }
  Planning& planning() { return window().planning(); }
  QString answer() { return find<QLabel>(u"budget_answer"_s).text(); }

  void search_endlessly() {
    find<QSpinBox>(u"time_limit"_s).setValue(3600);
    choose_entry(u"grain"_s, 2);
    field().setFocus();
    field().selectAll();
    QTest::keyClicks(&field(), u"60%"_s);
    QTest::keyClick(&field(), Qt::Key_Return);
    ASSERT_EQ(planning().job(), PlanningJob::budget);
  }
  template <class Control>
  void expect_waiting(const QString& name, const QString& why) {
    const auto& control = find<Control>(name);
    EXPECT_FALSE(control.isEnabled()) << name.toStdString();
    EXPECT_EQ(control.toolTip(), why) << name.toStdString();
  }
  template <class Control>
  void expect_ready(const QString& name) {
    const auto& control = find<Control>(name);
    EXPECT_TRUE(control.isEnabled()) << name.toStdString();
    EXPECT_FALSE(control.toolTip().startsWith(u"Waits"_s)) << name.toStdString();
  }
};

const QStringList search_buttons = {u"plan_button"_s, u"curve_button"_s, u"find_largest_button"_s};

TEST_F(ExclusiveWorkTest, SearchesWaitForTheRun) {
  click(find<QWidget>(u"run_button"_s));
  ASSERT_TRUE(document().run_job().is_running());
  const QString why = u"Waits for the run to end"_s;
  auto& panel = find<QWidget>(u"planner_panel"_s);
  for (const QString& name : search_buttons) {
    const auto* const button = panel.findChild<QPushButton*>(name);
    EXPECT_FALSE(button->isEnabled()) << name.toStdString();
    EXPECT_EQ(button->toolTip(), why) << name.toStdString();
  }
  for (const QString& name : {u"plan"_s, u"draw_curve"_s, u"run"_s}) {
    expect_waiting<QAction>(name, why);
  }
  EXPECT_TRUE(answer().contains(u"waits for the run"_s)) << answer().toStdString();
  find<QWidget>(u"budget_slider"_s).setFocus();
  press(Qt::Key_Return);
  press(Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
  press(Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_EQ(planning().job(), PlanningJob::none);
  find<QDockWidget>(u"plans_dock"_s).raise();
  QTest::keyClick(&find<QLineEdit>(u"toolbar_budget"_s), Qt::Key_Return);
  EXPECT_EQ(planning().job(), PlanningJob::none);
  EXPECT_TRUE(field().isVisible()) << "the planner comes to the front and says why";
  auto& memory = find<QLineEdit>(u"fit_memory"_s);
  memory.setFocus();
  QTest::keyClick(&memory, Qt::Key_Return);
  EXPECT_EQ(planning().job(), PlanningJob::none);
  EXPECT_EQ(find<QLabel>(u"fit_answer"_s).text(), why);
  click(find<QWidget>(u"cancel_run_button"_s));
  for (const QString& name : search_buttons) {
    EXPECT_TRUE(panel.findChild<QPushButton*>(name)->isEnabled()) << name.toStdString();
  }
  for (const QString& name : {u"plan"_s, u"draw_curve"_s, u"run"_s}) expect_ready<QAction>(name);
  EXPECT_FALSE(answer().contains(u"waits"_s)) << answer().toStdString();
}

TEST_F(ExclusiveWorkTest, RunsWaitForASearch) {
  search_endlessly();
  expect_waiting<QPushButton>(u"run_button"_s, u"Waits for the search to end"_s);
  expect_waiting<QAction>(u"run"_s, u"Waits for the search to end"_s);
  expect_waiting<QPushButton>(u"find_largest_button"_s, u"Waits for the search to end"_s);
  const auto& result = find<QLabel>(u"run_result"_s);
  EXPECT_TRUE(result.text().contains(u"waits for the search"_s)) << result.text().toStdString();
  press(Qt::Key_F5);
  document().run();
  EXPECT_FALSE(document().run_job().is_running());
  press(Qt::Key_Period, Qt::ControlModifier);
  ASSERT_TRUE(comes_true([this] { return planning().job() == PlanningJob::none; }));
  expect_ready<QPushButton>(u"run_button"_s);
  expect_ready<QAction>(u"run"_s);
  EXPECT_FALSE(result.text().contains(u"waits"_s)) << result.text().toStdString();
  ASSERT_TRUE(settles());
  press(Qt::Key_F5);
  EXPECT_TRUE(document().run_job().is_running());
}

TEST_F(ExclusiveWorkTest, TheKeysStayAtTheButtonsOfARun) {
  auto& run = find<QWidget>(u"run_button"_s);
  run.setFocus();
  QTest::keyClick(&run, Qt::Key_Space);
  auto& cancel = find<QWidget>(u"cancel_run_button"_s);
  EXPECT_TRUE(cancel.hasFocus());
  QTest::keyClick(&cancel, Qt::Key_Space);
  EXPECT_TRUE(run.hasFocus());
}

TEST_F(ExclusiveWorkTest, AnotherModelEndsASearchForTheLargestBatch) {
  planning().find_fit({{}, {"inputs_input_ids_dim0"}, std::int64_t{1} << 50});
  ASSERT_EQ(planning().job(), PlanningJob::fit);
  open(sample(u"lenet"_s));
  ASSERT_TRUE(comes_true([this] { return planning().job() == PlanningJob::none; }));
  EXPECT_EQ(planning().fit(), nullptr);
  expect_ready<QPushButton>(u"run_button"_s);
}

TEST_F(ExclusiveWorkTest, TheSweepWaitsForTheRun) {
  const auto& chart = find<SweepChart>(u"sweep_chart"_s);
  auto& points = find<QSpinBox>(u"sweep_points"_s);
  auto* const dock = window().findChild<QDockWidget*>(u"sweep_dock"_s);
  dock->raise();
  const auto is_complete = [&] {
    return !chart.points().empty() && !find<QWidget>(u"sweep_progress"_s).isVisible();
  };
  ASSERT_TRUE(comes_true(is_complete));
  press(Qt::Key_F5);
  ASSERT_TRUE(document().run_job().is_running());
  points.setValue(9);
  ASSERT_TRUE(comes_true([&] { return chart.points().empty(); }));
  EXPECT_EQ(find<QWidget>(u"sweep_start"_s).toolTip(), u"Waits for the run to end"_s);
  EXPECT_FALSE(find<QWidget>(u"sweep_start"_s).isEnabled());
  EXPECT_FALSE(find<QWidget>(u"sweep_cancel"_s).isVisible());
  press(Qt::Key_Escape);
  ASSERT_FALSE(document().run_job().is_running());
  EXPECT_TRUE(comes_true(is_complete)) << "it goes on by itself";
}

}  // namespace exclusive_work_test
}  // namespace stashscope::ui::test
