#include "core/study/facts/module_plans.h"

#include <gtest/gtest.h>

#include "core/graph/node_path.h"
#include "core/study/edits/node_edits.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace module_plans_test {

std::shared_ptr<const Study> study_of(const std::shared_ptr<const Graph>& model,
                                      Choices choices = {}) {
  choices.dims["N"] = 32;
  return compute_study(model, choices, nullptr, Progress());
}

ModulePlans module_in(const Study& study, const std::string& name) {
  for (const ModulePlans& each : module_plans(study)) {
    if (each.module == name) return each;
  }
  return {};
}

TEST(ModulePlans, AddUpThePlansOfEachModule) {
  const auto study = study_of(test::named(test::blocks(3)));
  const std::vector<ModulePlans> modules = module_plans(*study);
  const std::int64_t activation = 32 * 16 * 4;
  const ModulePlans mlp = module_in(*study, "model.h.1.mlp");
  EXPECT_EQ(mlp.plans, 1U) << "the product that Gelu's gradient reads has no plan of its own";
  EXPECT_EQ(mlp.saving_bytes, activation);
  EXPECT_TRUE(std::ranges::is_sorted(modules, std::greater(), &ModulePlans::saving_bytes));
}

TEST(ModulePlans, CountWhatIsOn) {
  const auto model = test::named(test::blocks(3));
  const auto off = study_of(model);
  const std::vector<NodeId> nodes = nodes_in_module(off->graph(), "h.1.mlp");
  const auto on = study_of(model, with_nodes_recomputed(*off, off->choices, nodes, true));
  EXPECT_EQ(module_in(*off, "model.h.1.mlp").on, 0U);
  EXPECT_EQ(module_in(*on, "model.h.1.mlp").on, module_in(*off, "model.h.1.mlp").plans);
  EXPECT_EQ(module_in(*on, "model.h.0.mlp").on, 0U);
  EXPECT_EQ(module_in(*on, "model.h.2.mlp").on, 0U);
  EXPECT_LT(on->current->timeline.peak_bytes, off->current->timeline.peak_bytes);
}

TEST(ModulePlans, AreNoneWithoutModules) {
  const auto study = study_of(std::make_shared<const Graph>(test::perceptron().build()));
  EXPECT_FALSE(study->plan_table->plans.empty());
  EXPECT_TRUE(module_plans(*study).empty());
}

}  // namespace module_plans_test
}  // namespace stashscope
