#include "core/study/search/device_fit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/study/step/plan_effects.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace device_fit_test {

constexpr SearchLimit few_moves{0, 4000, 1};

std::shared_ptr<const Study> layers() {
  return compute_study(test::named(test::silu_layers(64)), Choices(), nullptr, Progress());
}

DeviceFit fit(const std::shared_ptr<const Study>& study, std::int64_t bytes) {
  ParetoFront archive;
  return plan_to_fit(study, {bytes, PlanGranularity::cluster, few_moves}, archive, Progress());
}

BudgetAnswer plans_only(const Study& study, std::int64_t bytes) {
  ParetoFront archive;
  return plan_for_budget(study, {bytes, PlanGranularity::cluster, few_moves}, archive, Progress());
}

/// Checks peak and time of an answer against the study of its choices.
void expect_exact(const Study& asked, const DeviceFit& fit) {
  const auto after = compute_study(asked.model, fit.answer.best.choices, nullptr, Progress());
  EXPECT_EQ(after->current->timeline.peak_bytes, fit.answer.best.peak_bytes);
  EXPECT_NEAR(extra_seconds(*after), fit.answer.best.extra_seconds, 1e-12);
  EXPECT_EQ(after->choices.graph.passes, fit.study->choices.graph.passes);
}

TEST(DeviceFit, FreePassesLowerThePeakAndTakeNoTime) {
  const auto study = layers();
  std::vector<const GraphPass*> passes;
  const Choices freed = with_free_passes(*study, Progress(), passes);
  ASSERT_EQ(std::ranges::count(passes, &find_pass("fuse_gelu")), 1);
  EXPECT_EQ(freed.graph.passes.size(), passes.size());
  const auto after = compute_study(study->model, freed, nullptr, Progress());
  EXPECT_LT(after->current->timeline.peak_bytes, study->current->timeline.peak_bytes);
  EXPECT_LE(step_seconds(*after, *after->current), step_seconds(*study, *study->current));
  std::vector<const GraphPass*> more;
  EXPECT_EQ(with_free_passes(*after, Progress(), more), freed);
  EXPECT_TRUE(more.empty());
}

TEST(DeviceFit, PassesReachWhatPlansAloneDoNot) {
  const auto study = layers();
  const std::int64_t lowest = plans_only(*study, 1).best.peak_bytes;
  const DeviceFit found = fit(study, lowest - 1);
  ASSERT_TRUE(found.answer.feasible) << "plans alone reach " << lowest;
  EXPECT_FALSE(found.passes.empty());
  EXPECT_LT(found.answer.best.peak_bytes, lowest);
  EXPECT_EQ(found.answer.request.budget_bytes, lowest - 1);
  EXPECT_FALSE(found.found.points().empty());
  expect_exact(*study, found);
}

TEST(DeviceFit, IsNeverDearerThanPlansAlone) {
  const auto study = layers();
  const std::int64_t peak = study->baseline->timeline.peak_bytes;
  for (const int percent : {60, 70, 80, 90}) {
    const std::int64_t budget = peak * percent / 100;
    const BudgetAnswer plain = plans_only(*study, budget);
    const DeviceFit found = fit(study, budget);
    EXPECT_GE(found.answer.feasible, plain.feasible) << percent;
    expect_exact(*study, found);
    if (!plain.feasible) continue;
    const double seconds =
        step_seconds(*found.study, *found.study->baseline) + found.answer.best.extra_seconds;
    EXPECT_LE(seconds, step_seconds(*study, *study->baseline) + plain.best.extra_seconds + 1e-12)
        << percent;
  }
}

TEST(DeviceFit, WhatFitsAlreadyStaysAsItIs) {
  const auto study = layers();
  const DeviceFit found = fit(study, study->current->timeline.peak_bytes);
  EXPECT_TRUE(found.passes.empty());
  EXPECT_EQ(found.study, study);
  EXPECT_EQ(found.answer.best.choices, study->choices);
}

TEST(DeviceFit, WhatCannotBeMetIsAnsweredWithoutPasses) {
  const auto study = layers();
  const DeviceFit found = fit(study, 1);
  EXPECT_FALSE(found.answer.feasible);
  EXPECT_TRUE(found.passes.empty());
  EXPECT_EQ(found.answer.best.peak_bytes, plans_only(*study, 1).best.peak_bytes);
}

TEST(DeviceFit, PassesAreOfferedBesideThePlansThatDoWithoutThem) {
  const auto study = layers();
  const std::int64_t lowest = plans_only(*study, 1).best.peak_bytes;
  ASSERT_LT(lowest, study->baseline->timeline.peak_bytes);
  const BudgetRequest request{lowest, PlanGranularity::cluster, few_moves};
  ParetoFront archive;
  const BudgetOffers offers = plan_with_offers(study, request, 0.5, archive, Progress());
  ASSERT_TRUE(offers.plain.feasible);
  EXPECT_TRUE(offers.plain.best.choices.graph.passes.empty());
  ASSERT_TRUE(offers.with_passes);
  EXPECT_FALSE(offers.with_passes->passes.empty());
  expect_exact(*study, *offers.with_passes);
  const Study& with_passes = *offers.with_passes->study;
  EXPECT_LT(step_seconds(with_passes, *with_passes.baseline) +
                offers.with_passes->answer.best.extra_seconds,
            step_seconds(*study, *study->baseline) + offers.plain.best.extra_seconds);
}

TEST(DeviceFit, EndsWhenCancelled) {
  const auto study = layers();
  const Progress progress;
  progress.cancel();
  ParetoFront archive;
  const DeviceFit found =
      plan_to_fit(study, {1, PlanGranularity::cluster, few_moves}, archive, progress);
  EXPECT_TRUE(found.passes.empty());
}

}  // namespace device_fit_test
}  // namespace stashscope
