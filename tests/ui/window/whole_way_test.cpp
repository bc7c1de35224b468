// A user's whole way through real widgets: open, tick, undo, change a dimension, choose, run, save,
// close, come back.

#include <QApplication>
#include <QClipboard>
#include <QSpinBox>

#include "core/recompute/config.h"
#include "tests/ui/support/window_test.h"
#include "ui/memory/memory_view.h"
#include "ui/models/order_model.h"
#include "ui/models/plan_tree_model.h"

namespace stashscope::ui::test {
namespace whole_way_test {

using namespace Qt::StringLiterals;

class WholeWay : public WindowTest {
 protected:
  QTableView& orders() { return find<QTableView>(u"order_table"_s); }
  QSpinBox& batch() { return find<QSpinBox>(u"dimension:inputs_input_ids_dim0"_s); }

  Qt::CheckState tick_of(int row) {
    return plans()
        .model()
        ->index(row, PlanTreeModel::plan)
        .data(Qt::CheckStateRole)
        .value<Qt::CheckState>();
  }

  void type_batch(const QString& number) {
    batch().setFocus();
    batch().selectAll();
    QTest::keyClicks(&batch(), number);
    QTest::keyClick(&batch(), Qt::Key_Return);
  }

  void run_step() {
    press(Qt::Key_F5);
    ASSERT_TRUE(document().run_job().is_running());
    ASSERT_TRUE(comes_true([this] { return !document().run_job().is_running(); }));
    ASSERT_NE(document().measured(), nullptr) << message().toStdString();
  }

  /// Opens the sample; changes its batch, plans, order and level.
  void choose_of_everything();
  void run_and_copy();
};

void WholeWay::choose_of_everything() {
  open(sample(u"gpt2_tiny"_s));
  const QString status_at_first = status();

  type_batch(u"16"_s);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().dims.at("inputs_input_ids_dim0"), 16);
  EXPECT_NE(status(), status_at_first);
  const std::int64_t before = peak();
  const QString status_before = status();

  ASSERT_EQ(tick_of(0), Qt::Unchecked);
  click_check_box(plans(), 0, PlanTreeModel::plan);
  ASSERT_TRUE(settles());
  EXPECT_EQ(tick_of(0), Qt::Checked);
  EXPECT_LT(peak(), before);
  EXPECT_NE(status(), status_before);

  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(tick_of(0), Qt::Unchecked);
  EXPECT_EQ(peak(), before);
  EXPECT_EQ(status(), status_before);
  press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(tick_of(0), Qt::Checked);

  click_cell(orders(), 2, OrderModel::name);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().order.strategy, order_rows(*document().study())[2].name);
  EXPECT_NE(peak(), before);

  choose_entry(u"level"_s, 1);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().plans.level, 1);
  click_check_box(plans(), 1, PlanTreeModel::plan);
  ASSERT_TRUE(settles());
}

void WholeWay::run_and_copy() {
  run_step();
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_EQ(document().measured()->largest_error, 0);
  EXPECT_EQ(document().measured()->runs.current.peak_bytes, peak());
  EXPECT_TRUE(status().contains(u"measured"_s));
  EXPECT_TRUE(
      find<QLabel>(u"run_result"_s).text().contains(u"Largest difference in any slot: 0 B"_s));

  click(find<QWidget>(u"copy_config_button"_s));
  RecomputeConfig config = document().study()->config;
  EXPECT_EQ(std::erase_if(config, [](const auto& entry) { return entry.second.count == 0; }), 1U)
      << "the plan that was switched off";
  EXPECT_FALSE(config.empty());
  EXPECT_EQ(QApplication::clipboard()->text().toStdString(), config_list(config));
}

TEST_F(WholeWay, EveryStepAndBackAgain) {
  ASSERT_NO_FATAL_FAILURE(choose_of_everything());
  ASSERT_NO_FATAL_FAILURE(run_and_copy());
  const Choices chosen = document().choices();
  const std::int64_t peak_chosen = peak();
  const QString status_chosen = status();
  const Measurement measured = document().measured()->runs.current;
  std::vector<Qt::CheckState> ticks;
  for (int row = 0; row < plans().model()->rowCount(); ++row) ticks.push_back(tick_of(row));

  window().close();
  answer_question(u"unsaved_question"_s, u"Save"_s);
  answer_file_dialog(u"save_dialog"_s, in_folder(u"way.stashscope"_s));
  ASSERT_TRUE(comes_true([this] { return !window().isVisible(); }));

  start_window();
  press(Qt::Key_O, Qt::ControlModifier);
  answer_file_dialog(u"open_dialog"_s, in_folder(u"way.stashscope"_s));
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices(), chosen);
  EXPECT_EQ(peak(), peak_chosen);
  EXPECT_EQ(status(), status_chosen);
  EXPECT_EQ(batch().value(), 16);
  ASSERT_NE(document().measured(), nullptr);
  EXPECT_EQ(document().measured()->runs.current, measured);
  EXPECT_EQ(document().measured()->largest_error, 0);
  for (int row = 0; row < plans().model()->rowCount(); ++row) {
    EXPECT_EQ(tick_of(row), ticks[static_cast<std::size_t>(row)]) << row;
  }
  EXPECT_EQ(orders().model()->index(2, OrderModel::name).data(Qt::CheckStateRole), Qt::Checked);
  EXPECT_FALSE(window().isWindowModified());
}

TEST_F(WholeWay, UndoKeysActWhileASpinBoxHasTheFocus) {
  open(sample(u"gpt2_tiny"_s));
  const std::int64_t before = peak();
  type_batch(u"8"_s);
  ASSERT_TRUE(settles());
  ASSERT_GT(peak(), before);
  ASSERT_TRUE(QApplication::focusWidget() == &batch());
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(batch().value(), 1);
  EXPECT_EQ(peak(), before);
}

TEST_F(WholeWay, ADimensionThatTheModelRefusesIsTakenBackAndSaid) {
  open(sample(u"gpt2_tiny"_s));
  auto& positions = find<QSpinBox>(u"dimension:inputs_input_ids_dim1"_s);
  const int before = positions.value();
  positions.setFocus();
  positions.selectAll();
  QTest::keyClicks(&positions, u"100"_s);
  QTest::keyClick(&positions, Qt::Key_Return);
  ASSERT_TRUE(comes_true([this] { return !message().isEmpty(); }));
  EXPECT_TRUE(message().contains(u"undone"_s)) << message().toStdString();
  EXPECT_EQ(positions.value(), before);
  EXPECT_FALSE(window().isWindowModified());
  type_batch(u"2"_s);
  ASSERT_TRUE(settles());
  EXPECT_EQ(message(), u""_s) << "an error goes once the user went on";
}

TEST_F(WholeWay, TheStepsOfASpinBoxAreUndoneTogether) {
  open(sample(u"gpt2_tiny"_s));
  batch().setFocus();
  for (int i = 0; i < 5; ++i) QTest::keyClick(&batch(), Qt::Key_Up);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().dims.at("inputs_input_ids_dim0"), 6);
  EXPECT_EQ(document().undo_stack().count(), 1);
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(batch().value(), 1);
}

TEST_F(WholeWay, CountOfAPlanByKeyboard) {
  open(sample(u"gpt2_tiny"_s));
  click_cell(plans(), 0, PlanTreeModel::count);
  auto* const box = plans().findChild<QSpinBox*>(u"plan_count"_s);
  ASSERT_NE(box, nullptr);
  box->selectAll();
  QTest::keyClicks(box, u"1"_s);
  QTest::keyClick(box, Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().plans.config.size(), 1U);
  EXPECT_EQ(document().choices().plans.config.begin()->second.count, 1);
  EXPECT_EQ(plans().model()->index(0, PlanTreeModel::count).data().toInt(), 1);
}

TEST_F(WholeWay, TheMeasurementLeavesWithTheChoicesItBelongsTo) {
  open(sample(u"mlp_gelu"_s));
  run_step();
  const QString measured = status();
  click_check_box(plans(), 0, PlanTreeModel::plan);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(status().contains(u"not measured"_s));
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(status(), measured);
}

}  // namespace whole_way_test
}  // namespace stashscope::ui::test
