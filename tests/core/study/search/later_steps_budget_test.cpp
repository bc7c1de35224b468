// Budgets for the peak of the steps after a captured step that makes optimizer states.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/study/search/budget.h"
#include "core/study/step/later_steps.h"
#include "tests/support/captured_chain.h"

namespace stashscope {
namespace later_steps_budget_test {

/// What the step makes and returns counts as a state of its optimizer.
GraphData with_states() {
  GraphData data = test::CapturedChain(4).data();
  auto storages = nlohmann::json::parse(data.metadata["stashscope.storages"]);
  const std::size_t nodes = data.nodes.size();
  for (std::size_t i = 2; i < storages["role"].size(); ++i) {
    if (storages["last"][i] == nodes) storages["role"][i] = "optimizer";
  }
  data.metadata["stashscope.storages"] = storages.dump();
  return data;
}

std::int64_t later_peak(const Study& study) {
  return later_steps(study, *study.current).peak_bytes;
}

std::shared_ptr<const Study> planned(const Study& study, std::int64_t bytes, bool limits_later) {
  const BudgetRequest request{
      bytes, PlanGranularity::cluster, {0, 2'000}, PlanAim::time, limits_later};
  ParetoFront archive;
  const BudgetAnswer answer = plan_for_budget(study, request, archive, Progress());
  EXPECT_TRUE(answer.feasible) << bytes;
  auto there = compute_study(study.model, answer.best.choices, &study, Progress());
  EXPECT_EQ(answer.best.peak_bytes, there->current->timeline.peak_bytes) << "of the captured step";
  EXPECT_EQ(answer.later_peak_bytes, later_peak(*there));
  return there;
}

TEST(LaterStepsBudget, IsMetByLaterSteps) {
  const auto study = test::captured_study(with_states());
  ASSERT_GT(later_steps(*study, *study->current).state_bytes, 0);
  const auto lowest = test::captured_study(with_states(), "net.*:5:-1");
  const std::int64_t memory = later_peak(*lowest);
  ASSERT_LT(memory, later_peak(*study));
  EXPECT_LE(later_peak(*planned(*study, memory, true)), memory);
  EXPECT_GT(later_peak(*planned(*study, memory, false)), memory) << "for the captured step only";
}

TEST(LaterStepsBudget, IsAnyOtherIfNoStatesAreMade) {
  const auto study = test::captured_study(test::CapturedChain(4).data());
  const std::int64_t bytes = study->current->timeline.peak_bytes - 1;
  EXPECT_EQ(planned(*study, bytes, true)->config, planned(*study, bytes, false)->config);
}

}  // namespace later_steps_budget_test
}  // namespace stashscope
