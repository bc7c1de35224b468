// Bounds that are left out because the time is short, and what answers say of them.

#include "core/study/joint/combination_bounds.h"

#include <gtest/gtest.h>

#include "core/study/joint/joint_budget.h"
#include "tests/core/study/joint/joint_steps.h"

namespace stashscope {
namespace combination_bounds_test {

std::shared_ptr<const Study> fused_gpt2() {
  const auto study = test::small_gpt2();
  Choices choices = study->choices;
  choices.fusion.strategy = "dataflow";
  return compute_study(study->model, choices, nullptr, Progress());
}

TEST(CombinationBounds, SayWhetherMoreEffortKnowsMore) {
  const auto leaves_out = [](const std::shared_ptr<const Study>& study, BoundEffort effort) {
    const Combination own = own_combination(*study);
    const Progress progress;
    return CombinationBounds(own, {}, effort, progress).leaves_out();
  };
  EXPECT_TRUE(leaves_out(test::small_gpt2(), BoundEffort::least));
  EXPECT_FALSE(leaves_out(test::small_gpt2(), BoundEffort::all));
  EXPECT_FALSE(leaves_out(fused_gpt2(), BoundEffort::least)) << "needs no task graph";
}

/// Measured times leave only one combination, so that no limit of time leaves out others.
TEST(CombinationBounds, AnAnswerForWhichTheTimeLeftSomeOutIsNotComplete) {
  const auto predicted = test::small_gpt2();
  Measurement run;
  run.device = "cpu";
  run.node_seconds.assign(predicted->baseline->timeline.order.size(), 1);
  const auto study = with_measured_times(*predicted, run, run);
  const auto is_complete = [&](const SearchLimit& limit) {
    const std::int64_t budget = test::share_of_peak(*study, 100);
    const BudgetRequest request{budget, PlanGranularity::joint, limit};
    return plan_jointly(study, request, Progress()).joint->is_complete;
  };
  EXPECT_FALSE(is_complete({.seconds = 1e-9}));
  EXPECT_TRUE(is_complete({.seconds = 0, .moves = 100}));
}

}  // namespace combination_bounds_test
}  // namespace stashscope
