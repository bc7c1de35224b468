// Answers with overlapping copies beside answers without: the same plans take no more time with
// overlap, so that no answer may be dearer.

#include <gtest/gtest.h>

#include "core/study/joint/joint_budget.h"
#include "core/study/search/plan_evaluator.h"
#include "tests/core/study/joint/joint_steps.h"
#include "tests/support/sanitizer.h"
#include "tests/support/thinned.h"

namespace stashscope {
namespace overlap_price_test {

constexpr std::int64_t moves = test::sanitized ? 200 : 500;
constexpr double rounding = 1e-10;  // sequences count whole picoseconds per run

using StudyPtr = std::shared_ptr<const Study>;

/// What-ifs that leave few combinations.
const WhatIfChoices& few() {
  static const WhatIfChoices what_ifs = {{"attention", "flash"}, {"micro", "1"}};
  return what_ifs;
}

/// A small GPT-2 at batch 4 and sequence 64.
StudyPtr step_with(double bandwidth, bool fuses, bool overlaps, const RecomputeConfig& config = {},
                   const WhatIfChoices& what_ifs = few()) {
  Choices choices = test::small_gpt2({}, 4)->choices;
  choices.graph.what_ifs = what_ifs;
  choices.times.transfer_bandwidth = bandwidth;
  if (fuses) choices.fusion.strategy = "memory-aware";
  choices.plans.overlaps_copies = overlaps;
  choices.plans.config = config;
  return compute_study(test::small_gpt2()->model, choices, nullptr, Progress());
}

/// The plans for three operators whose tensors can be offloaded.
RecomputeConfig three_offloads() {
  RecomputeConfig offloads;
  const StudyPtr study = test::small_gpt2();
  for (const PlanRow& row : study->plan_table->extensions) {
    if (row.type == PlanType::offload) offloads.insert(row.entries.begin(), row.entries.end());
    if (offloads.size() == 3) break;
  }
  return offloads;
}

/// Returns whether the budget can be met without overlap, so that times were compared.
bool expect_no_dearer(const StudyPtr& serial, const StudyPtr& overlapping, std::int64_t budget,
                      std::int64_t limit = moves) {
  const BudgetRequest request{budget, PlanGranularity::joint, {0, limit, 1}};
  const BudgetAnswer without = plan_jointly(serial, request, Progress());
  const BudgetAnswer with = plan_jointly(overlapping, request, Progress());
  EXPECT_GE(with.feasible, without.feasible) << budget;
  if (!without.feasible) return false;
  EXPECT_LE(with.joint->seconds, without.joint->seconds + rounding) << budget;
  return true;
}

class OverlapPrice : public testing::TestWithParam<std::tuple<double, bool>> {};

TEST_P(OverlapPrice, JointAnswersAreNoDearer) {
  const auto [bandwidth, fuses] = GetParam();
  const StudyPtr serial = step_with(bandwidth, fuses, false);
  const StudyPtr overlapping = step_with(bandwidth, fuses, true);
  int compared = 0;
  for (const int percent : {45, 70}) {
    const std::int64_t budget = test::share_of_peak(*serial, percent);
    compared += expect_no_dearer(serial, overlapping, budget) ? 1 : 0;
  }
  EXPECT_GT(compared, 0);
}

TEST_P(OverlapPrice, AnswersByClusterAreNoDearer) {
  const auto [bandwidth, fuses] = GetParam();
  const RecomputeConfig offloads = three_offloads();
  ASSERT_EQ(offloads.size(), 3U);
  const StudyPtr serial = step_with(bandwidth, fuses, false, offloads);
  const StudyPtr overlapping = step_with(bandwidth, fuses, true, offloads);
  int compared = 0;
  for (const int percent : {50, 70, 90}) {
    const BudgetRequest request{
        test::share_of_peak(*serial, percent), PlanGranularity::cluster, {0, moves, 1}};
    ParetoFront front_without;
    ParetoFront front_with;
    const auto without = plan_for_budget(*serial, request, front_without, Progress());
    const auto with = plan_for_budget(*overlapping, request, front_with, Progress());
    EXPECT_GE(with.feasible, without.feasible) << percent;
    if (!without.feasible) continue;
    ++compared;
    EXPECT_LE(with.best.extra_seconds, without.best.extra_seconds + rounding) << percent;
  }
  EXPECT_GT(compared, 0);
}

const std::vector<double> links = test::thinned(std::vector{0.7e9, 1e10, 1e12});
INSTANTIATE_TEST_SUITE_P(BytesPerSecondAndFusion, OverlapPrice,
                         testing::Combine(testing::ValuesIn(links), testing::Bool()));

/// A link that copies cannot hide behind: plans that offload first would take longer.
TEST(OverlapPrices, CountASaturatedLink) {
  const StudyPtr serial = step_with(0.7e9, true, false, {}, {});
  EXPECT_TRUE(expect_no_dearer(serial, step_with(0.7e9, true, true, {}, {}),
                               test::share_of_peak(*serial, 30), 5000));
}

/// A copy would take longer than 64 bits of picoseconds.
TEST(OverlapPrices, MayBeBeyondAllOthers) {
  const StudyPtr slow = step_with(1e-4, false, false);
  const BudgetRequest request{test::share_of_peak(*slow, 60), PlanGranularity::joint, {0, 100, 1}};
  const BudgetAnswer answer = plan_jointly(slow, request, Progress());
  EXPECT_TRUE(answer.feasible);
  EXPECT_EQ(answer.best.host_bytes, 0);
}

TEST(OverlapPrices, AreThoseWithoutOverlapIfAskedFor) {
  const RecomputeConfig offloads = three_offloads();
  const StudyPtr serial = step_with(1e9, false, false, offloads);
  const StudyPtr overlapping = step_with(1e9, false, true, offloads);
  ASSERT_FALSE(overlapping->current->copies.empty());
  const PlanEvaluator expected(*serial);
  const PlanEvaluator asked(*overlapping, PeakOf::step, CopyTimes::serial);
  const PlanEvaluator chosen(*overlapping);
  const auto same = asked.evaluate(offloads);
  EXPECT_EQ(same.peak_bytes, expected.evaluate(offloads).peak_bytes);
  EXPECT_EQ(same.extra_seconds, expected.evaluate(offloads).extra_seconds);
  EXPECT_LT(chosen.evaluate(offloads).extra_seconds, same.extra_seconds);
}

}  // namespace overlap_price_test
}  // namespace stashscope
