#include "core/study/search/replanned_fit.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/study/edits/edits.h"
#include "core/study/step/later_steps.h"
#include "tests/support/captured_chain.h"
#include "tests/support/named_model.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace replanned_fit_test {

constexpr ReplanRequest few_moves{PlanGranularity::cluster, {0, 3000, 1}};

std::shared_ptr<const Study> layers(const Choices& choices = {}) {
  return compute_study(test::named(test::silu_layers("N")), choices, nullptr, Progress());
}

std::int64_t peak_at(const Study& study, std::int64_t value) {
  const Dimension& n = study.sizes->dims.dimensions.front();
  const Choices choices = with_dimension(study, study.choices, n, value);
  const auto there = compute_study(study.model, choices, &study, Progress());
  return later_steps(*there, *there->current).peak_bytes;
}

LargestFit known_of(const Study& study, std::int64_t memory) {
  return largest_fit(study, {"", {"*"}, memory}, Progress());
}

ReplannedFit replanned(const Study& study, std::int64_t memory,
                       const ReplanRequest& request = few_moves, const OnReplan& report = {}) {
  return replanned_fit(study, known_of(study, memory), request, Progress(), report);
}

/// Checks the numbers of the largest size against the study of its choices.
void expect_exact(const Study& asked, const ReplannedFit& fit, std::int64_t memory) {
  ASSERT_TRUE(fit.largest);
  const auto there = compute_study(asked.model, fit.largest->choices, nullptr, Progress());
  EXPECT_EQ(there->sizes->dims.dimensions.front().value, fit.largest->value);
  EXPECT_EQ(there->current->timeline.peak_bytes, fit.largest->peak_bytes);
  EXPECT_EQ(later_steps(*there, *there->current).peak_bytes, fit.largest->later_peak_bytes);
  EXPECT_LE(fit.largest->later_peak_bytes, memory);
  EXPECT_EQ(there->current->host_bytes, fit.largest->host_bytes);
}

TEST(ReplannedFit, PlansReachSizesThatTheStepAloneDoesNot) {
  const auto study = layers();
  const std::int64_t memory = peak_at(*study, 100);
  const LargestFit known = known_of(*study, memory);
  ASSERT_EQ(known.current.largest->value, 100);
  const ReplannedFit fit = replanned(*study, memory);
  expect_exact(*study, fit, memory);
  EXPECT_GT(fit.largest->value, 110);
  EXPECT_FALSE(fit.is_stopped);
  EXPECT_FALSE(fit.is_unlimited);
  EXPECT_GT(fit.trials, 0);
  ASSERT_TRUE(fit.next);
  EXPECT_EQ(fit.next->value, fit.largest->value + 1);
}

TEST(ReplannedFit, FreePassesAreSwitchedOnWithThePlan) {
  const auto study = layers();
  const ReplannedFit fit = replanned(*study, peak_at(*study, 100));
  ASSERT_TRUE(fit.largest);
  EXPECT_FALSE(fit.largest->passes.empty());
  for (const GraphPass* const pass : fit.largest->passes) {
    EXPECT_TRUE(fit.largest->choices.graph.passes.contains(std::string(pass->name))) << pass->name;
  }
}

TEST(ReplannedFit, MoreMemoryNeverFitsLess) {
  const auto study = layers();
  std::int64_t before = 0;
  for (const std::int64_t value : {20, 60, 100, 400}) {
    const std::int64_t memory = peak_at(*study, value);
    const ReplannedFit fit = replanned(*study, memory);
    expect_exact(*study, fit, memory);
    EXPECT_GE(fit.largest->value, std::max(value, before));
    before = fit.largest->value;
  }
}

TEST(ReplannedFit, IsNeverBelowThePlansThatAreOn) {
  Choices choices;
  choices.plans.level = 2;
  const auto study = layers(choices);
  const std::int64_t memory = peak_at(*study, 100);
  const LargestFit known = known_of(*study, memory);
  const ReplannedFit fit = replanned(*study, memory, {PlanGranularity::cluster, {0, 1, 1}});
  expect_exact(*study, fit, memory);
  EXPECT_GE(fit.largest->value, known.current.largest->value);
}

TEST(ReplannedFit, ASizeBeyondTheBoundIsProvenNotToFit) {
  const auto study = layers();
  const ReplannedFit fit = replanned(*study, peak_at(*study, 1) / 4);
  EXPECT_FALSE(fit.largest);
  ASSERT_TRUE(fit.next);
  EXPECT_EQ(fit.next->value, 1);
  ASSERT_TRUE(fit.next->bound_bytes);
  EXPECT_GT(*fit.next->bound_bytes, peak_at(*study, 1) / 4);
  EXPECT_FALSE(fit.is_at_least());
}

TEST(ReplannedFit, ASizeThatASearchLeavesUndecidedIsNoProof) {
  const auto study = layers();
  const std::int64_t memory = peak_at(*study, 100);
  const ReplannedFit fit = replanned(*study, memory, {PlanGranularity::cluster, {0, 1, 1}});
  expect_exact(*study, fit, memory);
  ASSERT_TRUE(fit.next);
  EXPECT_FALSE(fit.next->bound_bytes) << "one move decides nothing";
  EXPECT_GT(fit.next->lowest_peak_bytes, memory);
  EXPECT_TRUE(fit.is_at_least());
}

TEST(ReplannedFit, FinerPlansFitNoLess) {
  const auto study = layers();
  const std::int64_t memory = peak_at(*study, 100);
  const ReplannedFit fit = replanned(*study, memory, {PlanGranularity::node, {0, 20'000, 1}});
  expect_exact(*study, fit, memory);
  EXPECT_GT(fit.largest->value, 100);
}

/// The given plans keep too much on the host, also where the step fits with them.
TEST(ReplannedFit, KeepsTheMemoryOfTheHost) {
  Choices choices;
  choices.plans.config = parse_config("Gelu:3:-1,MatMul:3:-1");
  const auto offloading = layers(choices);
  ASSERT_GT(offloading->current->host_bytes, 1);
  const std::int64_t memory = peak_at(*offloading, 100);
  choices.times.host_memory = 1;
  const auto study = layers(choices);
  ASSERT_EQ(known_of(*study, memory).current.largest->value, 100);
  for (const std::int64_t limit : {1, 20'000}) {
    choices.times.host_memory = limit;
    const auto asked = layers(choices);
    const ReplannedFit fit = replanned(*asked, memory);
    expect_exact(*asked, fit, memory);
    EXPECT_LE(fit.largest->host_bytes, limit);
  }
}

TEST(ReplannedFit, TellsTheLargestSizeSoFar) {
  const auto study = layers();
  std::vector<std::int64_t> largest;
  const ReplannedFit fit = replanned(*study, peak_at(*study, 100), few_moves,
                                     [&](std::int64_t, const std::optional<PlannedFit>& so_far) {
                                       if (so_far) largest.push_back(so_far->value);
                                     });
  ASSERT_FALSE(largest.empty());
  EXPECT_EQ(largest.front(), 100) << "what fits without plans is known first";
  EXPECT_TRUE(std::ranges::is_sorted(largest));
  EXPECT_LE(largest.back(), fit.largest->value);
}

TEST(ReplannedFit, AnswersWithWhatIsFoundWhenItIsStopped) {
  const auto study = layers();
  const std::int64_t memory = peak_at(*study, 100);
  const Progress progress;
  const ReplannedFit fit =
      replanned_fit(*study, known_of(*study, memory), few_moves, progress,
                    [&](std::int64_t, const std::optional<PlannedFit>& largest) {
                      if (largest) progress.cancel();
                    });
  EXPECT_TRUE(fit.is_stopped);
  EXPECT_TRUE(fit.is_at_least());
  expect_exact(*study, fit, memory);
  EXPECT_EQ(fit.largest->value, 100);
}

TEST(ReplannedFit, ADimensionThatNoSizeDependsOnHasNoLimit) {
  test::ModelBuilder m;
  m.weight("w", {4, 4}).node("Relu", {"w"}, {"z"}).output("z").input("extra", {"M", 0});
  const auto study = compute_study(test::named(m), {}, nullptr, Progress());
  const ReplannedFit fit = replanned(*study, 1 << 20);
  EXPECT_TRUE(fit.is_unlimited);
  EXPECT_FALSE(fit.next);
}

std::shared_ptr<const Study> captured_with_batch() {
  return test::captured_study(test::chain_with_batch());
}

TEST(ReplannedFit, LaterStepsOfACapturedStepFitToo) {
  const auto study = captured_with_batch();
  ASSERT_GT(later_steps(*study, *study->current).state_bytes, 0);
  const std::int64_t memory = peak_at(*study, 64);
  ASSERT_EQ(known_of(*study, memory).current.largest->value, 64);
  const ReplannedFit fit = replanned(*study, memory);
  expect_exact(*study, fit, memory);
  EXPECT_GT(fit.largest->value, 64);
}

TEST(ReplannedFit, ACapturedStepHasNoPlansOfNodes) {
  const auto study = captured_with_batch();
  EXPECT_TRUE(is_plannable(*study, PlanGranularity::cluster));
  EXPECT_FALSE(is_plannable(*study, PlanGranularity::node));
  test::refusal(ErrorKind::usage, [&] {
    replanned(*study, peak_at(*study, 64), {PlanGranularity::node, {0, 100, 1}});
  });
}

}  // namespace replanned_fit_test
}  // namespace stashscope
