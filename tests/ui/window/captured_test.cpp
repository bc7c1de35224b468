// A step that PyTorch ran: what does not apply to it is off, and the panels say why.

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include "core/onnx/model_file.h"
#include "tests/support/captured_chain.h"
#include "tests/support/captured_model.h"
#include "tests/ui/support/window_test.h"
#include "ui/document/choice_words.h"
#include "ui/panels/planner/answer_text.h"
#include "ui/text/texts.h"
#include "ui/widgets/table_view.h"
#include "ui/window/plan_code_dialog.h"

namespace stashscope::ui::test {
namespace captured_test {

using namespace Qt::StringLiterals;

class Captured : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    const QString file = in_folder(u"step.onnx"_s);
    save_model(Graph(stashscope::test::captured_data()), file.toStdString());
    open(file);
    ASSERT_TRUE(is_captured(document().study().get()));
  }

  bool is_enabled(const QString& widget) { return find<QWidget>(widget).isEnabled(); }
  QString text(const QString& label) { return find<QLabel>(label).text(); }
};

TEST_F(Captured, CannotBeRunAndSaysWhy) {
  EXPECT_FALSE(find<QAction>(u"run"_s).isEnabled());
  EXPECT_FALSE(is_enabled(u"run_button"_s));
  EXPECT_FALSE(is_enabled(u"device"_s));
  EXPECT_TRUE(text(u"run_result"_s).contains(u"PyTorch ran this step"_s));
  EXPECT_TRUE(document().why_wait().isEmpty()) << "plans can be searched for";
  document().run();
  EXPECT_FALSE(document().run_job().is_running());
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(find<QAction>(u"run"_s).isEnabled());
  EXPECT_TRUE(is_enabled(u"device"_s));
  EXPECT_TRUE(text(u"run_result"_s).contains(u"Press Run"_s));
}

TEST_F(Captured, KeepsItsOrderItsOperatorsAndItsOptimizer) {
  for (const QString& menu :
       {u"order_menu"_s, u"fusion_menu"_s, u"pass_menu"_s, u"device_menu"_s, u"optimizer_menu"_s}) {
    EXPECT_FALSE(is_enabled(menu)) << menu.toStdString();
  }
  for (const QString& button : {u"order_button"_s, u"fusion_button"_s, u"device_button"_s}) {
    EXPECT_FALSE(is_enabled(button)) << button.toStdString();
    EXPECT_TRUE(find<QWidget>(button).toolTip().contains(u"PyTorch"_s));
  }
  EXPECT_FALSE(is_enabled(u"update_row"_s));
  EXPECT_EQ(find<QComboBox>(u"optimizer"_s).currentIndex(), -1);
  EXPECT_FALSE(find<QWidget>(u"order_note"_s).isHidden());
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(is_enabled(u"order_menu"_s));
  EXPECT_TRUE(is_enabled(u"update_row"_s));
  EXPECT_GE(find<QComboBox>(u"optimizer"_s).currentIndex(), 0);
  EXPECT_TRUE(find<QWidget>(u"order_note"_s).isHidden());
}

TEST_F(Captured, HasNothingToFuseAndSaysWhy) {
  const auto& table = find<TableView>(u"fusion_table"_s);
  EXPECT_EQ(table.model()->rowCount(), 0) << "rows would cover the invitation";
  EXPECT_TRUE(table.invitation().contains(u"one by one: nothing is fused"_s));
  open(sample(u"gpt2_tiny"_s));
  EXPECT_GT(table.model()->rowCount(), 0);
}

TEST_F(Captured, HasPlansForPyTorchOnly) {
  auto& grain = find<QComboBox>(u"grain"_s);
  EXPECT_FALSE(grain.isEnabled());
  EXPECT_EQ(grain.currentText(), u"Modules"_s);
  EXPECT_TRUE(text(u"grain_hint"_s).contains(u"PyTorch"_s));
  EXPECT_FALSE(is_enabled(u"find_largest_button"_s));
  EXPECT_FALSE(is_enabled(u"fit_dimension"_s));
  for (const QString& widget :
       {u"level"_s, u"list_extensions"_s, u"reference"_s, u"copy_config_button"_s}) {
    EXPECT_TRUE(find<QWidget>(widget).isHidden()) << widget.toStdString();
  }
  EXPECT_FALSE(find<QWidget>(u"export_plan_button"_s).isHidden());
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(grain.isEnabled());
  EXPECT_EQ(grain.currentText(), u"Clusters"_s);
  EXPECT_TRUE(is_enabled(u"find_largest_button"_s));
  EXPECT_TRUE(find<QWidget>(u"export_plan_button"_s).isHidden());
  EXPECT_FALSE(find<QWidget>(u"copy_config_button"_s).isHidden());
}

TEST_F(Captured, PlansAreNotSaidToBeForTheOtherRuntime) {
  EXPECT_TRUE(find<QWidget>(u"plans_runtime_hint"_s).isHidden());
  EXPECT_TRUE(find<QWidget>(u"planner_runtime_hint"_s).isHidden());
}

TEST_F(Captured, TheTipOfTheKindOfPlanNamesModules) {
  const QString tip = find<QComboBox>(u"grain"_s).toolTip();
  EXPECT_TRUE(tip.contains(u"modules"_s)) << tip.toStdString();
  EXPECT_FALSE(tip.contains(u"cluster"_s)) << tip.toStdString();
}

TEST_F(Captured, NoOtherKindOfPlanIsOfferedForABudget) {
  const Study& study = *document().study();
  BudgetAnswer answer;
  answer.request.budget_bytes = 120;
  answer.best.peak_bytes = peak();
  ASSERT_FALSE(answer.feasible);
  EXPECT_FALSE(answer_text(study, answer).contains(u"Nodes"_s));
}

TEST_F(Captured, LargestBatchSaysWhyNoSizeCanVary) {
  find<QAction>(u"find_largest"_s).trigger();
  EXPECT_TRUE(text(u"fit_answer"_s).contains(u"dims={"_s)) << text(u"fit_answer"_s).toStdString();
}

TEST_F(Captured, LaterStepsDecideWhetherItFits) {
  const QString file = in_folder(u"first.onnx"_s);
  save_model(Graph(stashscope::test::captured_data(true)), file.toStdString());
  open(file);
  EXPECT_EQ(peak(), 308);
  for (const auto& [memory, fits] : {std::pair(400, true), {350, false}}) {
    Choices choices = document().choices();
    choices.times.device_memory = memory;
    document().choose(choices, u"device"_s);
    ASSERT_TRUE(settles());
    const QString answer = text(u"answer_text"_s);
    EXPECT_TRUE(answer.contains(u"<b>384 B</b> in later steps"_s)) << answer.toStdString();
    EXPECT_EQ(!answer.contains(u"does not fit"_s), fits) << answer.toStdString();
  }
}

TEST_F(Captured, TheLineToCheckAPlanHasTheOptionsOfTheCapture) {
  EXPECT_EQ(code_to_check(*document().study()), u"stashscope.capture(step, \"planned.onnx\")\n"_s);
  GraphData data = stashscope::test::captured_data();
  data.metadata["stashscope.capture_options"] = R"({"kernels":"cuda","warm_up":1})";
  const QString file = in_folder(u"with_options.onnx"_s);
  save_model(Graph(std::move(data)), file.toStdString());
  open(file);
  EXPECT_EQ(code_to_check(*document().study()),
            u"stashscope.capture(step, \"planned.onnx\", kernels=\"cuda\", warm_up=1)\n"_s);
}

/// A captured step with the dimension `batch`, which was 64.
class CapturedWithBatch : public Captured {
 protected:
  void SetUp() override {
    Captured::SetUp();
    const QString file = in_folder(u"with_batch.onnx"_s);
    GraphData data = stashscope::test::chain_with_batch();
    data.metadata["stashscope.capture_options"] = R"({"dims":{"batch":64},"warm_up":1})";
    save_model(Graph(std::move(data)), file.toStdString());
    open(file);
  }
  void set_batch(std::int64_t size) {
    Choices choices = document().choices();
    choices.dims["batch"] = size;
    document().choose(choices, u"batch"_s);
    ASSERT_TRUE(settles());
  }
  QString all_of_dialog(const QString& path) {
    const PlanCodeDialog dialog(*document().study(), path, &window());
    QString all;
    for (const QLabel* const each : dialog.findChildren<QLabel*>()) all += each->text() + u'\n';
    return all;
  }
};

TEST_F(CapturedWithBatch, TheLinesForThePlanHaveTheSizesItWasMadeFor) {
  const QString before = all_of_dialog(u"plan.json"_s);
  EXPECT_TRUE(before.contains(u"made for batch 64, as captured"_s)) << before.toStdString();
  set_batch(36);
  EXPECT_EQ(code_to_check(*document().study()),
            u"stashscope.capture(step, \"planned.onnx\", dims={\"batch\":36}, warm_up=1)\n"_s);
  const QString after = all_of_dialog(u"plan.json"_s);
  for (const QString& part :
       {u"made for batch 36; the step was captured with batch 64"_s, u"must train with batch 36"_s,
        u"with the plan at batch 36"_s, bytes_text(peak())}) {
    EXPECT_TRUE(after.contains(part)) << after.toStdString();
  }
}

TEST_F(CapturedWithBatch, ItsSizesAreThoseOfTheCaptureUntilTheyAreSet) {
  const auto notes = [this] { return document().notes().join(u'\n'); };
  EXPECT_TRUE(notes().contains(u"dimension 'batch' is 64, as captured"_s)) << notes().toStdString();
  EXPECT_EQ(find<QLabel>(u"dimension_note:batch"_s).text(), u"as captured"_s);
  set_batch(36);
  EXPECT_FALSE(notes().contains(u"batch"_s)) << notes().toStdString();
  EXPECT_EQ(find<QLabel>(u"dimension_note:batch"_s).text(), QString());
}

TEST_F(CapturedWithBatch, TheAnswerBarOffersTheLargestBatchThatFits) {
  Choices choices = document().choices();
  choices.times.device_memory = 2 * peak();
  document().choose(choices, u"device"_s);
  ASSERT_TRUE(settles());
  auto& samples = find<QPushButton>(u"answer_samples"_s);
  ASSERT_TRUE(comes_true([&] { return samples.isVisible(); }));
  EXPECT_TRUE(samples.text().startsWith(u"Batch "_s)) << samples.text().toStdString();
  click(samples);
  ASSERT_TRUE(settles());
  EXPECT_GT(document().choices().dims.at("batch"), 64);
  EXPECT_TRUE(comes_true([&] { return find<AnswerBar>(u"answer_bar"_s).is_settled(); }));
  EXPECT_FALSE(samples.isVisible()) << "it is the largest";
}

TEST_F(Captured, ExportsForTheOtherRuntimeAreOffAndSayWhere) {
  for (const QString& name : {u"export_environment"_s, u"copy_config"_s}) {
    EXPECT_FALSE(find<QAction>(name).isEnabled()) << name.toStdString();
    EXPECT_TRUE(find<QAction>(name).toolTip().contains(u"Export plan for PyTorch"_s));
  }
  EXPECT_TRUE(find<QAction>(u"export_plan"_s).isEnabled());
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(find<QAction>(u"export_environment"_s).isEnabled());
  EXPECT_TRUE(find<QAction>(u"copy_config"_s).isEnabled());
  EXPECT_FALSE(find<QAction>(u"export_plan"_s).isEnabled());
  EXPECT_TRUE(find<QAction>(u"export_plan"_s).toolTip().contains(u"stashscope.capture"_s));
}

TEST_F(Captured, AnExportedPlanStaysWithItsLinesUntilItIsClosed) {
  const QString path = in_folder(u"step.plan.json"_s);
  find<QAction>(u"export_plan"_s).trigger();
  answer_file_dialog(u"save_dialog"_s, path);
  PlanCodeDialog* dialog = nullptr;
  ASSERT_TRUE(comes_true([&] {
    dialog = window().findChild<PlanCodeDialog*>(u"plan_code_dialog"_s);
    return dialog != nullptr && dialog->isVisible();
  })) << message().toStdString();
  EXPECT_TRUE(QFile::exists(path));
  click(*dialog->findChild<QPushButton*>(u"copy_apply_code"_s));
  EXPECT_EQ(QApplication::clipboard()->text(),
            u"import stashscope\n\nstashscope.apply(model, \"%1\")\n"_s.arg(path));
  QString all;
  for (const QLabel* const each : dialog->findChildren<QLabel*>()) all += each->text();
  for (const QString& word : {u"before the first step"_s, u"optimizer"_s, u"torch.compile"_s,
                              u"stashscope.capture"_s, u".code())"_s, bytes_text(peak())}) {
    EXPECT_TRUE(all.contains(word)) << word.toStdString();
  }
  QTest::qWait(50);
  EXPECT_TRUE(dialog->isVisible());
}

TEST_F(Captured, PredictedAndMeasuredLeadsToTheMeasurementOfPyTorch) {
  const auto& table = find<TableView>(u"difference_table"_s);
  EXPECT_TRUE(table.invitation().contains(u"stashscope.measure"_s));
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(table.invitation().contains(u"F5"_s));
}

TEST_F(Captured, ItsOptimizerIsNoLink) {
  EXPECT_FALSE(find<QLabel>(u"answer_text"_s).text().contains(u"href=\"optimizer\""_s));
  EXPECT_FALSE(find<QLabel>(u"overview_sizes"_s).text().contains(u"href=\"optimizer\""_s));
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(find<QLabel>(u"answer_text"_s).text().contains(u"href=\"optimizer\""_s));
}

}  // namespace captured_test
}  // namespace stashscope::ui::test
