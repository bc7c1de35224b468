// The choices that do not affect the results of a planner.

#include "core/study/search/planning_basis.h"

#include <gtest/gtest.h>

#include "core/study/edits/order_edits.h"
#include "core/study/search/budget.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace planning_basis_test {

std::shared_ptr<const Study> deep_study() {
  Choices choices;
  choices.dims["N"] = 64;
  return compute_study(std::make_shared<const Graph>(test::deep_perceptron(6).build()), choices,
                       nullptr, Progress());
}

std::shared_ptr<const Study> with(const Study& study, const Choices& choices) {
  return compute_study(study.model, choices, &study, Progress());
}

Choices planned(const Study& study, PlanGranularity grain) {
  ParetoFront archive;
  const std::int64_t budget = study.baseline->timeline.peak_bytes * 4 / 5;
  return plan_for_budget(study, {budget, grain, {0, 10'000, 1}}, archive, Progress()).best.choices;
}

TEST(PlanningBasis, StaysWhatItIsUnderItsOwnPlans) {
  const auto study = deep_study();
  for (const PlanGranularity grain :
       {PlanGranularity::cluster, PlanGranularity::node, PlanGranularity::sequence}) {
    const auto after = with(*study, planned(*study, grain));
    EXPECT_NE(after->choices, study->choices) << name_of(grain);
    EXPECT_TRUE(same_planning_basis(*study, *after)) << name_of(grain);
  }
}

TEST(PlanningBasis, IsThatOfTheUsersPlansToo) {
  const auto study = deep_study();
  Choices choices = study->choices;
  choices.plans.level = 2;
  choices.device = "cpu";
  EXPECT_TRUE(same_planning_basis(*study, *with(*study, choices)));
}

TEST(PlanningBasis, DoesNotDependOnModulesThatPyTorchRunsAgain) {
  Choices choices;
  choices.plans.config["h.*"] = {PlanType::region};
  EXPECT_TRUE(same_planning_basis(choices, Choices()));
  EXPECT_TRUE(kept_by_planners(choices.plans.config).empty()) << "a planner may drop them";
  choices.plans.config["Gelu"] = {PlanType::offload};
  EXPECT_FALSE(same_planning_basis(choices, Choices()));
  EXPECT_EQ(kept_by_planners(choices.plans.config).size(), 1U);
}

TEST(PlanningBasis, DoesNotDependOnTheMemoryToFit) {
  const auto study = deep_study();
  Choices choices = study->choices;
  choices.times.device_memory = 1 << 20;
  choices.times.reserve_percent = 5;
  choices.allocator = "expandable_segments:True";
  EXPECT_TRUE(same_planning_basis(*study, *with(*study, choices)));
  choices.times.profile.name = "the same with less memory";
  choices.times.profile.memory_bytes /= 2;
  EXPECT_TRUE(same_planning_basis(*study, *with(*study, choices)));
}

TEST(PlanningBasis, IsAnotherOneForAllElse) {
  const auto study = deep_study();
  const auto differs = [&](auto change) {
    Choices choices = study->choices;
    change(choices);
    return !same_planning_basis(*study, *with(*study, choices));
  };
  EXPECT_TRUE(differs([](Choices& c) { c.dims["N"] = 32; }));
  EXPECT_TRUE(differs([](Choices& c) { c.update.optimizer = "adam"; }));
  EXPECT_TRUE(differs([](Choices& c) { c.graph.precision = ElementType::float16; }));
  EXPECT_TRUE(differs([](Choices& c) { c.graph.goal.frozen = {"layer.0.w"}; }));
  EXPECT_TRUE(differs([](Choices& c) { c.times.profile.bandwidth /= 2; }));
  EXPECT_TRUE(differs([](Choices& c) { c.times.transfer_bandwidth = 1e9; }));
  EXPECT_TRUE(differs([](Choices& c) { c.fusion.strategy = "dataflow"; }));
  EXPECT_TRUE(differs([](Choices& c) { c.order.strategy = "depth-first"; }));
  EXPECT_TRUE(differs([](Choices& c) { c.plans.config["Gelu"] = {PlanType::offload, 2, false}; }));
}

TEST(PlanningBasis, IsAnotherOneOnceTimesWereMeasured) {
  const auto study = deep_study();
  Measurement run;
  run.device = "cpu";
  run.node_seconds.assign(study->baseline->timeline.order.size(), 1);
  EXPECT_FALSE(same_planning_basis(*study, *with_measured_times(*study, run, run)));
}

TEST(PlanningBasis, PlansGoOntoOtherChoices) {
  const auto study = deep_study();
  const Choices plan = planned(*study, PlanGranularity::node);
  Choices choices = study->choices;
  choices.device = "cpu";
  const Choices both = with_plans_of(choices, plan);
  EXPECT_EQ(both.device, "cpu");
  EXPECT_EQ(both.plans.sequence, plan.plans.sequence);
  EXPECT_EQ(both.order.strategy, std::nullopt);
}

TEST(PlanningBasis, PlansKeepTheirPeaksWhereNodesWereMoved) {
  const auto plain = deep_study();
  const NodeId first = plain->current->timeline.order.front();
  const auto moved = with(*plain, with_move(*plain, plain->choices, first, NodeId()));
  ASSERT_EQ(moved->choices.order.moves.size(), 1U);
  for (const PlanGranularity grain : {PlanGranularity::cluster, PlanGranularity::sequence}) {
    ParetoFront archive;
    const std::int64_t budget = plain->baseline->timeline.peak_bytes * 4 / 5;
    const ParetoPoint best =
        plan_for_budget(*moved, {budget, grain, {0, 10'000, 1}}, archive, Progress()).best;
    Choices choices = with_plans_of(moved->choices, best.choices);
    EXPECT_EQ(choices, with_plans_of(plain->choices, best.choices)) << name_of(grain);
    const auto after = with(*moved, choices);
    EXPECT_EQ(after->current->timeline.peak_bytes, best.peak_bytes) << name_of(grain);
    EXPECT_TRUE(same_planning_basis(*moved, *after)) << name_of(grain);
  }
}

}  // namespace planning_basis_test
}  // namespace stashscope
