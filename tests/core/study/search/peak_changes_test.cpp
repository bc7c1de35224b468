#include "core/study/search/peak_changes.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/study/edits/edits.h"
#include "core/study/facts/plan_facts.h"
#include "tests/support/captured_chain.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace peak_changes_test {

/// Checks each row against a study that is computed from nothing. Returns how many rows change the
/// peak.
int expect_right(const Study& study) {
  int changing = 0;
  for (std::size_t row = 0; row < plan_rows(study); ++row) {
    const PlanRow& plan = plan_row(study, row);
    const bool is_used = plan.applied == plan.frequency;
    const Choices after = with_plan(study, study.choices, plan, !is_used);
    const auto changed = compute_study(study.model, after, nullptr, Progress());
    const std::int64_t expected =
        changed->current->timeline.peak_bytes - study.current->timeline.peak_bytes;
    EXPECT_EQ(peak_change(study, plan, Progress()), expected) << plan.config;
    EXPECT_TRUE(is_used ? expected >= 0 : true) << plan.config;
    changing += expected != 0 ? 1 : 0;
  }
  return changing;
}

TEST(PeakChanges, AreThoseOfTheStepAfterAClickOnTheTick) {
  const auto study = test::study_of(test::named(test::blocks(3)));
  EXPECT_GT(expect_right(*study), 0);
  const PlanRow& largest = study->plan_table->plans[0];
  const auto on = compute_study(study->model, with_plan(*study, study->choices, largest, true),
                                study.get(), Progress());
  EXPECT_GT(expect_right(*on), 0);
}

TEST(PeakChanges, AreThoseOfModulesOfACapturedStep) {
  const auto study = test::captured_study(test::CapturedChain(4).data());
  EXPECT_GT(expect_right(*study), 0);
}

TEST(PeakChanges, HaveNoAnswerForASearchedOrder) {
  const auto study = test::study_of(test::named(test::blocks(2)));
  EXPECT_TRUE(can_try_rows(*study));
  Choices choices = study->choices;
  choices.order.strategy = "minimal";
  EXPECT_FALSE(can_try_rows(*compute_study(study->model, choices, nullptr, Progress())));
}

TEST(PeakChanges, StopWhenTheyAreCancelled) {
  const auto study = test::study_of(test::named(test::blocks(2)));
  Progress progress;
  progress.cancel();
  EXPECT_THROW(peak_change(*study, study->plan_table->plans[0], progress), Error);
}

}  // namespace peak_changes_test
}  // namespace stashscope
