// What the planner says beside its answers: what plans are for, and amounts that read alike.

#include <QDialog>

#include "tests/ui/panels/planner/planner_test.h"
#include "ui/models/plan_tree_model.h"
#include "ui/panels/planner/answer_text.h"
#include "ui/panels/planner/replan_text.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace planner_words_test {

using namespace Qt::StringLiterals;

TEST_F(Planner, SaysWhatPlansAreForAndWhatIsForPyTorch) {
  auto& hint = find<QLabel>(u"planner_runtime_hint"_s);
  EXPECT_FALSE(hint.isVisible()) << "no answer yet";
  auto& panel = find<QWidget>(u"plans_panel"_s);
  find<QDockWidget>(u"plans_dock"_s).setFloating(true);
  find<QDockWidget>(u"plans_dock"_s).resize(500, 640);
  EXPECT_TRUE(find<QWidget>(u"plans_runtime_hint"_s).isVisibleTo(&panel));
  find<QDockWidget>(u"plans_dock"_s).resize(500, 260);
  EXPECT_FALSE(find<QWidget>(u"plans_runtime_hint"_s).isVisibleTo(&panel)) << "no room";
  type_budget(u"80%"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  EXPECT_TRUE(hint.isVisible());
  EXPECT_TRUE(hint.text().contains(u"ONNX Runtime or the saved model"_s));
  Q_EMIT hint.linkActivated(u"capture"_s);
  EXPECT_EQ(find<QDialog>(u"document_dialog"_s).windowTitle(),
            u"Capture, plan, apply and measure in PyTorch"_s);
}

TEST_F(Planner, AmountsThatReadAlikeHaveMoreDecimals) {
  constexpr std::int64_t limit = std::int64_t{24} << 30;
  ReplannedFit fit;
  fit.memory_bytes = limit;
  fit.next = UnplannedSize{37, {}, limit + (20 << 20), limit + (20 << 20)};
  const QString text = replanned_text(fit, false);
  EXPECT_TRUE(text.contains(u"the lowest peak found is 24.02 GiB, above 24.00 GiB"_s))
      << text.toStdString();
}

/// All percentages of a peak compare with the step without plans, also where the search began with
/// plans that were on.
TEST_F(Planner, ComparesWithTheStepWithoutPlansAsTheStatusLineDoes) {
  click_check_box(plans(), 0, PlanTreeModel::plan);
  ASSERT_TRUE(settles());
  const std::int64_t without = document().study()->baseline->timeline.peak_bytes;
  const std::int64_t before = peak();
  ASSERT_LT(before, without);
  type_budget(u"60%"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  ASSERT_LT(peak(), before);
  const QString compared =
      u"(%1 of %2 without plans)"_s.arg(change_text(without, peak()), bytes_text(without));
  EXPECT_TRUE(answer().contains(compared)) << answer().toStdString();
  EXPECT_TRUE(status().contains(compared)) << status().toStdString();
  EXPECT_TRUE(answer().contains(u"from <b>%1</b> to"_s.arg(bytes_text(before))))
      << answer().toStdString();
  EXPECT_FALSE(answer().contains(change_text(before, peak()))) << answer().toStdString();
}

TEST_F(Planner, PlansAreNamedOnlyWhereThereAreSome) {
  const Study& study = *document().study();
  BudgetAnswer answer;
  answer.best.peak_bytes = peak();
  const StepFigures before{2 * peak(), {}, 1};
  const std::vector<const GraphPass*> passes(6, nullptr);
  const auto text = [&] { return before_text(study, answer, before, passes); };
  EXPECT_TRUE(text().contains(u"with 6 passes switched on and no plans"_s)) << text().toStdString();
  answer.best.choices.plans.level = 1;
  EXPECT_TRUE(text().contains(u"with plans and 6 passes switched on"_s)) << text().toStdString();
}

TEST_F(Planner, ASizeThatCannotBeComputedSaysWhy) {
  ReplannedFit fit;
  fit.next = UnplannedSize{.value = 37, .fault = "tensor 'a<b': has too many bytes"};
  EXPECT_FALSE(fit.is_at_least()) << "it is decided";
  const QString text = replanned_text(fit, false);
  EXPECT_TRUE(text.contains(u"37 fails: tensor 'a&lt;b': has too many bytes."_s))
      << text.toStdString();
}

/// What is in use already cannot help.
TEST_F(Planner, AdvisesOnlyWhatIsNotInUseAgainstTheBytesThatNoPlanFrees) {
  const auto text = [&] { return below_floor_text(*document().study(), 0); };
  EXPECT_TRUE(text().contains(u"use mixed precision or release the gradients early"_s))
      << text().toStdString();
  Choices choices = document().choices();
  choices.update.release_gradients = true;
  document().choose(choices, u"release"_s);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(text().contains(u"use mixed precision; otherwise"_s)) << text().toStdString();
  choices.graph.precision = ElementType::bfloat16;
  document().choose(choices, u"precision"_s);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(text().contains(u"frees these bytes. Choose a larger device."_s))
      << text().toStdString();
  choices.update.release_gradients = false;
  document().choose(choices, u"no release"_s);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(text().contains(u"fewer of them, release the gradients early; otherwise"_s))
      << text().toStdString();
}

/// Both amounts are said: what the better plans keep on the host, and what is allowed.
TEST_F(Planner, SaysHowMuchMemoryOfTheHostBetterPlansTake) {
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
  BudgetAnswer answer;
  answer.left_out_for_host = PlanOutcome{4 * mebibyte, 0, 3 * mebibyte};
  const auto text = [&] { return answer_text(*document().study(), answer); };
  EXPECT_FALSE(text().contains(u"The memory of the host"_s)) << "nothing limits it";
  Choices choices = document().choices();
  choices.times.host_memory = 2 * mebibyte;
  document().choose(choices, u"host"_s);
  ASSERT_TRUE(settles());
  const QString said = text();
  EXPECT_TRUE(said.contains(
      u"The memory of the host limits the plans: with <b>%1</b> on the host "
      "instead of at most %2, a peak of %3 would take"_s.arg(
          bytes_text(3 * mebibyte), bytes_text(2 * mebibyte), bytes_text(4 * mebibyte))))
      << said.toStdString();
  EXPECT_TRUE(said.contains(u"Planner > Device that the step must fit"_s)) << said.toStdString();
}

}  // namespace planner_words_test
}  // namespace stashscope::ui::test
