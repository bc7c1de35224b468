#include "core/study/search/plan_aim.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/base/error.h"
#include "core/study/search/budget.h"
#include "tests/support/captured_chain.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace plan_aim_test {

TEST(PlanAim, HasNames) {
  EXPECT_EQ(find_aim("time"), PlanAim::time);
  EXPECT_EQ(find_aim(name_of(PlanAim::operations)), PlanAim::operations);
  EXPECT_THROW(find_aim("flops"), Error);
}

/// The plan for the lowest peak of whole modules.
BudgetAnswer answer_of(const Study& study, std::int64_t budget, PlanAim aim, ParetoFront& archive) {
  const BudgetRequest request{budget, PlanGranularity::cluster, {0, 2'000}, aim};
  return plan_for_budget(study, request, archive, Progress());
}

double flops_of(const Study& study, const BudgetAnswer& answer) {
  return compute_study(study.model, answer.best.choices, &study, Progress())->current->flops;
}

/// Outputs of tanh cannot be kept because it draws; else keeping them would be best for both aims.
GraphData chain() {
  GraphData data = test::CapturedChain(4).data();
  for (const NodeId id : IdRange<NodeId>(data.nodes.size())) {
    if (data.nodes[id].op_type != "tanh") continue;
    data.nodes[id].attributes.set("tags", std::vector<std::string>{"random"});
  }
  return data;
}

TEST(PlanAim, OperationsAreFewerAndTimeIsShorter) {
  const auto study = test::captured_study(chain());
  const auto kept = test::captured_study(chain(), "net.*[keep mm]:5:-1");
  const std::int64_t budget = kept->current->timeline.peak_bytes;
  ParetoFront of_time;
  ParetoFront of_operations;
  const BudgetAnswer fast = answer_of(*study, budget, PlanAim::time, of_time);
  const BudgetAnswer lean = answer_of(*study, budget, PlanAim::operations, of_operations);
  ASSERT_TRUE(fast.feasible);
  ASSERT_TRUE(lean.feasible);
  EXPECT_LT(flops_of(*study, lean), flops_of(*study, fast)) << "no product runs again";
  EXPECT_LT(fast.best.extra_seconds, lean.best.extra_seconds) << "kernels that are not launched";
  EXPECT_EQ(lean.request.aim, PlanAim::operations);
  ASSERT_EQ(of_operations.points().size(), 1U) << "with its time on the device";
  EXPECT_EQ(of_operations.points()[0].extra_seconds, lean.best.extra_seconds);
}

TEST(PlanAim, OperationsNeedACapturedStep) {
  test::ModelBuilder builder;
  builder.input("x", {4});
  builder.node("Relu", {"x"}, {"y"});
  builder.output("y");
  const auto study =
      compute_study(std::make_shared<const Graph>(builder.data()), Choices(), nullptr, Progress());
  ParetoFront archive;
  EXPECT_THROW(answer_of(*study, 1'000, PlanAim::operations, archive), Error);
}

}  // namespace plan_aim_test
}  // namespace stashscope
