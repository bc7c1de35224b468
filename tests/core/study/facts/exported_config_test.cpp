#include "core/study/facts/exported_config.h"

#include <gtest/gtest.h>

#include "tests/support/model_builder.h"

namespace stashscope {
namespace exported_config_test {

/// Layers of a product and an operator that ONNX Runtime's table lacks.
std::shared_ptr<const Study> study_with(const std::string& plans, bool widened) {
  test::ModelBuilder m;
  m.input("x", {"N", 8}).input("labels", {"N"}, ElementType::int64).weight("w", {8, 8});
  m.node("MatMul", {"x", "w"}, {"h"}).node("Gelu", {"h"}, {"g"}, {}, "com.microsoft");
  m.node("MatMul", {"g", "w"}, {"k"}).node("Softplus", {"k"}, {"s"});
  m.node("MatMul", {"s", "w"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"});
  Choices choices;
  choices.plans.config = parse_config(plans);
  if (widened) choices.plans.search.also_recomputable = {"Softplus"};
  return compute_study(std::make_shared<const Graph>(m.output("loss").build()), choices, nullptr,
                       {});
}

TEST(ExportedConfig, LeavesOutTypesThatAreOurOwn) {
  const auto study = study_with("Gelu+:1:-1,MatMul:3:-1", false);
  const ExportedConfig exported = exported_config(*study);
  EXPECT_EQ(to_string(exported.config), "Gelu+:1:-1");
  ASSERT_EQ(exported.left_out.size(), 1U);
  const std::string block = environment_block(*study);
  EXPECT_NE(block.find("CONFIG=\"Gelu+:1:-1\"\n"), std::string::npos) << block;
  EXPECT_NE(block.find("# plans that ONNX Runtime does not know are left out: MatMul:3:-1\n"),
            std::string::npos)
      << block;
}

TEST(ExportedConfig, LeavesOutClustersThatOnlyAWidenedTableFinds) {
  const auto study = study_with("Gelu+:1:-1,Softplus+:1:-1", true);
  EXPECT_EQ(study->applied.size(), 2U);
  const ExportedConfig exported = exported_config(*study);
  EXPECT_EQ(to_string(exported.config), "Gelu+:1:-1");
  ASSERT_EQ(exported.left_out.size(), 1U);
  EXPECT_NE(environment_block(*study).find("left out: Softplus+:1:-1\n"), std::string::npos);
}

TEST(ExportedConfig, KeepsWhatFitsAnotherModel) {
  const auto study = study_with("BiasGelu+:1:-1", true);
  EXPECT_EQ(to_string(exported_config(*study).config), "BiasGelu+:1:-1");
  EXPECT_TRUE(exported_config(*study).left_out.empty());
}

}  // namespace exported_config_test
}  // namespace stashscope
