#pragma once

#include <QDockWidget>
#include <QLineEdit>
#include <QSpinBox>

#include "tests/ui/support/window_test.h"
#include "ui/panels/planner/planner_panel.h"

namespace stashscope::ui::test {

/// The planner of a small model with the keyboard in its budget field.
class Planner : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(QStringLiteral("gpt2_tiny")));
    Choices choices = document().choices();
    choices.dims["inputs_input_ids_dim0"] = 16;
    document().choose(choices, QStringLiteral("batch"));
    ASSERT_TRUE(settles());
    before_ = document().choices();
    press(Qt::Key_B, Qt::ControlModifier);
    EXPECT_TRUE(field().hasFocus()) << "Ctrl+B leads there";
    set_time_limit(1);
  }

  QLineEdit& field() { return find<QLineEdit>(QStringLiteral("budget_field")); }
  QSlider& slider() { return find<QSlider>(QStringLiteral("budget_slider")); }
  PlanChart& chart() { return find<PlanChart>(QStringLiteral("plan_chart")); }
  QString answer() { return find<QLabel>(QStringLiteral("budget_answer")).text(); }
  QString details() { return find<QLabel>(QStringLiteral("budget_details")).text(); }
  QString hint() { return find<QLabel>(QStringLiteral("budget_hint")).text(); }
  Planning& planning() { return window().planning(); }

  void set_time_limit(int seconds) {
    auto& box = find<QSpinBox>(QStringLiteral("time_limit"));
    box.setFocus();
    box.selectAll();
    QTest::keyClicks(&box, QString::number(seconds));
    QTest::keyClick(&box, Qt::Key_Tab);
  }
  void type_into(QLineEdit& line, const QString& text) {
    line.setFocus();
    line.selectAll();
    QTest::keyClicks(&line, text);
  }
  void type_budget(const QString& text) { type_into(field(), text); }
  bool ends() {
    return comes_true([this] { return planning().job() == PlanningJob::none; }) && settles();
  }
  /// Presses the undo key while no text field has the focus.
  void undo() {
    find<QWidget>(QStringLiteral("graph_view")).setFocus();
    press(Qt::Key_Z, Qt::ControlModifier);
    ASSERT_TRUE(settles());
  }
  std::int64_t share(int percent) {
    return document().study()->baseline->timeline.peak_bytes * percent / 100;
  }

  Choices before_;
};

}  // namespace stashscope::ui::test
