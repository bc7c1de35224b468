#include "core/study/reserved/reserved_memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/allocator/caching_allocator.h"
#include "core/study/reserved/device_memory.h"
#include "core/study/reserved/step_advice.h"
#include "core/study/search/budget.h"
#include "core/study/search/largest_fit.h"
#include "core/study/search/replanned_fit.h"
#include "core/study/step/later_steps.h"
#include "tests/support/captured_chain.h"
#include "tests/support/fragmenting_step.h"
#include "tests/support/model_builder.h"
#include "tests/support/named_model.h"
#include "tests/support/sanitizer.h"

namespace stashscope {
namespace reserved_memory_test {

std::shared_ptr<const Study> blocks_of(std::int64_t batch) {
  Choices choices;
  choices.dims["N"] = batch;
  choices.update.optimizer = "adam";
  return compute_study(test::named(test::blocks(4)), choices, nullptr, Progress());
}

TEST(ReservedMemory, HoldsTheTensorsInWholeSegments) {
  for (const auto& study : {blocks_of(16), blocks_of(4096), test::fragmenting_step()}) {
    for (const auto& variant : {study->baseline, study->current}) {
      const ReservedMemory memory = reserved_memory(*study, *variant, AllocatorSettings());
      const Timeline& timeline = variant->timeline;
      EXPECT_GE(memory.reserved_bytes, timeline.peak_bytes);
      EXPECT_EQ(memory.reserved_bytes % (2 << 20), 0);
      EXPECT_EQ(memory.fragmentation_bytes, memory.reserved_bytes - timeline.peak_bytes);
      ASSERT_EQ(memory.by_slot.size(), timeline.order.size());
      for (std::size_t slot = 0; slot < memory.by_slot.size(); ++slot) {
        EXPECT_GE(memory.by_slot[slot], timeline.live_bytes[slot]);
      }
      EXPECT_EQ(std::ranges::max(memory.by_slot), memory.reserved_bytes)
          << "the last step reserves no more";
    }
  }
}

TEST(AllocatorAdvice, IsTheSettingThatReservesLeast) {
  for (const auto& study : {blocks_of(4096), test::fragmenting_step()}) {
    const AllocatorAdvice advice = allocator_advice(*study, *study->current);
    ASSERT_GT(advice.trials.size(), 5U);
    EXPECT_EQ(advice.trials[0].settings, AllocatorSettings());
    for (const AllocatorTrial& trial : advice.trials) {
      EXPECT_LE(advice.trials[advice.best].reserved_bytes, trial.reserved_bytes);
      EXPECT_EQ(trial.reserved_bytes,
                reserved_memory(*study, *study->current, trial.settings).reserved_bytes);
    }
  }
}

TEST(AllocatorAdvice, NamesTheTensorWithoutRoomAndThoseInItsWay) {
  const auto study = test::fragmenting_step();
  const AllocatorAdvice advice = allocator_advice(*study, *study->current);
  EXPECT_LT(advice.trials[advice.best].reserved_bytes, advice.trials[0].reserved_bytes)
      << "the default settings fragment";
  ASSERT_TRUE(advice.growth);
  EXPECT_GE(advice.growth->free_bytes, advice.growth->bytes) << "enough is free, in pieces";
  EXPECT_LT(advice.growth->largest_free_bytes, advice.growth->bytes);
  EXPECT_FALSE(advice.growth->between.empty());
  const std::string reason = reason_text(advice);
  EXPECT_NE(reason.find(advice.growth->tensor), std::string::npos) << reason;
  EXPECT_NE(reason.find(advice.growth->between[0]), std::string::npos) << reason;
}

/// For 85 % of what is reserved without plans.
BudgetRequest request_below(const Study& study) {
  const std::int64_t before =
      reserved_memory(study, *study.baseline, AllocatorSettings()).reserved_bytes;
  BudgetRequest request;
  request.budget_bytes = before * 85 / 100;
  request.limit = {0, 500, 1};
  request.allocator = AllocatorSettings();
  return request;
}

TEST(ReservedBudget, IsHeldByWhatIsReserved) {
  const auto study = blocks_of(65536);
  BudgetRequest request = request_below(*study);
  ParetoFront archive;
  const BudgetAnswer answer = plan_for_budget(*study, request, archive, Progress());
  ASSERT_TRUE(answer.feasible);
  const auto there = compute_study(study->model, answer.best.choices, study.get(), Progress());
  const ReservedMemory reserved = reserved_memory(*there, *there->current, AllocatorSettings());
  EXPECT_EQ(answer.reserved_bytes, reserved.reserved_bytes);
  EXPECT_LE(reserved.reserved_bytes, request.budget_bytes);
  request.budget_bytes = 1;
  EXPECT_FALSE(plan_for_budget(*study, request, archive, Progress()).feasible);
}

/// The tensors fit without plans, the reserved memory does not.
TEST(ReservedBudget, ComparesItsPlanWithThoseLeftOutForTheHost) {
  const auto study = blocks_of(65536);
  BudgetRequest request = request_below(*study);
  request.budget_bytes =
      reserved_memory(*study, *study->baseline, AllocatorSettings()).reserved_bytes - 1;
  ASSERT_LE(study->baseline->timeline.peak_bytes, request.budget_bytes);
  ParetoFront archive;
  archive.leave_out({1, 1e-15, 999});
  const BudgetAnswer answer = plan_for_budget(*study, request, archive, Progress());
  ASSERT_TRUE(answer.feasible);
  ASSERT_GT(answer.best.extra_seconds, 1e-15);
  ASSERT_TRUE(answer.left_out_for_host);
  EXPECT_EQ(answer.left_out_for_host->host_bytes, 999);
}

TEST(ReservedBudget, CanLeaveRoomForMemoryOutsideTensors) {
  const auto study = blocks_of(1 << 24);  // a context is a small part of what it takes
  BudgetRequest request = request_below(*study);
  ParetoFront archive;
  const BudgetAnswer tight = plan_for_budget(*study, request, archive, Progress());
  ASSERT_TRUE(tight.feasible);
  EXPECT_FALSE(tight.device);
  const auto taken = [&](const BudgetAnswer& answer) {
    const auto there = compute_study(study->model, answer.best.choices, study.get(), Progress());
    return device_memory(*there, there->current->timeline, AllocatorSettings(),
                         usual_other_memory());
  };
  request.device_bytes = taken(tight).high_bytes - 1;
  const BudgetAnswer roomy = plan_for_budget(*study, request, archive, Progress());
  ASSERT_TRUE(roomy.feasible);
  EXPECT_EQ(roomy.device, taken(roomy));
  EXPECT_LE(roomy.device->high_bytes, request.device_bytes);
  EXPECT_LE(roomy.reserved_bytes, request.budget_bytes);
  EXPECT_LT(roomy.reserved_bytes, tight.reserved_bytes);
  request.device_bytes = std::int64_t{600} << 20;
  const BudgetAnswer none = plan_for_budget(*study, request, archive, Progress());
  EXPECT_FALSE(none.feasible) << "a context alone takes this much";
  EXPECT_GT(none.device->high_bytes, request.device_bytes);
}

TEST(LargestFit, CanCountWhatIsReserved) {
  const auto study = blocks_of(4096);
  FitQuestion question{"", {"N"}, std::int64_t{300} << 20};
  const LargestFit tensors = largest_fit(*study, question, Progress());
  question.allocator = AllocatorSettings();
  const LargestFit reserved = largest_fit(*study, question, Progress());
  ASSERT_TRUE(reserved.current.largest && tensors.current.largest);
  EXPECT_LT(reserved.current.largest->value, tensors.current.largest->value);
  EXPECT_LE(reserved.current.largest->reserved_bytes, question.memory_bytes);
  ASSERT_TRUE(reserved.current.next);
  EXPECT_GT(reserved.current.next->reserved_bytes, question.memory_bytes);
  EXPECT_FALSE(tensors.current.largest->reserved_bytes);
}

TEST(LargestFit, CanLeaveRoomForMemoryOutsideTensors) {
  const auto study = blocks_of(4096);
  FitQuestion question{"", {"N"}, std::int64_t{1} << 30, AllocatorSettings()};
  const auto largest = [&] { return largest_fit(*study, question, Progress()).current; };
  const VariantFit tight = largest();
  ASSERT_TRUE(tight.largest);
  EXPECT_FALSE(tight.largest->device);
  question.device_bytes = question.memory_bytes;
  const VariantFit roomy = largest();
  ASSERT_TRUE(roomy.largest && roomy.next);
  EXPECT_LT(roomy.largest->value, tight.largest->value);
  EXPECT_LE(roomy.largest->device->high_bytes, question.device_bytes);
  EXPECT_GT(roomy.next->device->high_bytes, question.device_bytes);
  question.others.clear();
  EXPECT_EQ(largest().largest->value, tight.largest->value) << "nothing is outside tensors";
}

TEST(ReplannedFit, HoldsWhatIsReservedBelowTheMemory) {
  const auto study = blocks_of(4096);
  FitQuestion question{"", {"N"}, std::int64_t{300} << 20, AllocatorSettings()};
  const LargestFit known = largest_fit(*study, question, Progress());
  const ReplanRequest request{PlanGranularity::cluster, {0, test::sanitized ? 100 : 300, 1}};
  const ReplannedFit fit = replanned_fit(*study, known, request, Progress());
  ASSERT_TRUE(fit.largest && known.current.largest);
  EXPECT_GE(fit.largest->value, known.current.largest->value);
  const auto there = compute_study(study->model, fit.largest->choices, nullptr, Progress());
  EXPECT_EQ(fit.largest->reserved_bytes,
            reserved_memory(*there, *there->current, AllocatorSettings()).reserved_bytes);
  EXPECT_LE(fit.largest->reserved_bytes, question.memory_bytes);
  question.allocator.reset();
  const LargestFit of_tensors = largest_fit(*study, question, Progress());
  const ReplannedFit larger = replanned_fit(*study, of_tensors, request, Progress());
  ASSERT_TRUE(larger.largest);
  EXPECT_GT(larger.largest->value, fit.largest->value);
  EXPECT_FALSE(larger.largest->reserved_bytes);
}

/// The peak of later steps is above that of the captured step, which makes the optimizer's states.
TEST(ReplannedFit, HoldsWhatLaterStepsReserve) {
  const auto study = test::captured_study(test::chain_with_batch());
  ASSERT_GT(later_steps(*study, *study->current).state_bytes, 0);
  FitQuestion question{"", {"batch"}, 0, AllocatorSettings()};
  question.names = {study->sizes->dims.dimensions.front().name};
  question.memory_bytes = std::int64_t{100} << 20;
  const LargestFit known = largest_fit(*study, question, Progress());
  ASSERT_TRUE(known.current.largest);
  const ReplannedFit fit =
      replanned_fit(*study, known, {PlanGranularity::cluster, {0, 500, 1}}, Progress());
  ASSERT_TRUE(fit.largest);
  EXPECT_GT(fit.largest->value, known.current.largest->value);
  EXPECT_LE(*fit.largest->reserved_bytes, question.memory_bytes);
  EXPECT_GE(*fit.largest->reserved_bytes, fit.largest->later_peak_bytes);
}

TEST(ReservedMemory, OfAStepWithoutNodesIsThatOfItsInputs) {
  test::ModelBuilder m;
  m.input("x", {1 << 20});
  const auto study = compute_study(std::make_shared<const Graph>(m.output("x").build()), Choices(),
                                   nullptr, Progress());
  ASSERT_TRUE(study->current->timeline.order.empty());
  const ReservedMemory memory = reserved_memory(*study, *study->current, AllocatorSettings());
  EXPECT_EQ(memory.reserved_bytes, large_segment_bytes);
  EXPECT_TRUE(memory.by_slot.empty());
}

}  // namespace reserved_memory_test
}  // namespace stashscope
