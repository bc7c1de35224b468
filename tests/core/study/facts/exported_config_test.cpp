#include "core/study/facts/exported_config.h"

#include <gtest/gtest.h>

#include "tests/support/model_builder.h"

namespace stashscope {
namespace exported_config_test {

/// Layers of a product and an operator that ONNX Runtime's table lacks.
std::shared_ptr<const Study> study_with(const std::string& plans, bool widened,
                                        Choices choices = {}) {
  test::ModelBuilder m;
  m.input("x", {"N", 8}).input("labels", {"N"}, ElementType::int64).weight("w", {8, 8});
  m.node("MatMul", {"x", "w"}, {"h"}).node("Gelu", {"h"}, {"g"}, {}, "com.microsoft");
  m.node("MatMul", {"g", "w"}, {"k"}).node("Softplus", {"k"}, {"s"});
  m.node("MatMul", {"s", "w"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"});
  choices.plans.config = parse_config(plans);
  if (widened) choices.plans.search.also_recomputable = {"Softplus"};
  return compute_study(std::make_shared<const Graph>(m.output("loss").build()), choices, nullptr,
                       {});
}

Choices of_2023() {
  Choices choices;
  choices.plans.search.reference = Reference::november_2023;
  return choices;
}

TEST(ExportedConfig, LeavesOutTypesThatAreOurOwn) {
  const auto study = study_with("Gelu+:1:-1,MatMul:3:-1", false, of_2023());
  const ExportedConfig exported = exported_config(*study);
  EXPECT_EQ(to_string(exported.config), "Gelu+:1:-1");
  ASSERT_EQ(exported.left_out.size(), 1U);
  const auto [block, file] = exported_environment(*study, "plans.json");
  EXPECT_EQ(file, "");
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
  const std::string block = exported_environment(*study, "").block;
  EXPECT_NE(block.find("left out: Softplus+:1:-1\n"), std::string::npos) << block;
}

TEST(ExportedConfig, KeepsWhatFitsAnotherModel) {
  const auto study = study_with("BiasGelu+:1:-1", true);
  EXPECT_EQ(to_string(exported_config(*study).config), "BiasGelu+:1:-1");
  EXPECT_TRUE(exported_config(*study).left_out.empty());
}

TEST(ExportedConfig, IsAFileForTheReleaseThatReadsOne) {
  const auto study = study_with("Gelu+:1:-1,MatMul:3:-1", false);
  const auto [block, file] = exported_environment(*study, "/plans/here.json");
  EXPECT_EQ(file, "[\"Gelu+:1:-1\"]\n");
  EXPECT_NE(block.find("OPT_LEVEL=0\n"), std::string::npos) << block;
  EXPECT_NE(block.find("OPT_CONFIG='/plans/here.json'\n"), std::string::npos) << block;
  EXPECT_EQ(block.find("PROBE"), std::string::npos) << block;
  EXPECT_NE(block.find("left out: MatMul:3:-1\n"), std::string::npos) << block;
}

TEST(ExportedConfig, IsALevelAloneWhereThatIsEnough) {
  Choices choices;
  choices.plans.level = 1;
  const auto [block, file] = exported_environment(*study_with("", false, choices), "plans.json");
  EXPECT_EQ(block, "export ORTMODULE_MEMORY_OPT_LEVEL=1\n");
  EXPECT_EQ(file, "");
  choices.plans.pinned = {"make_g"};
  EXPECT_NE(exported_environment(*study_with("", false, choices), "plans.json").config_file, "");
}

TEST(ExportedConfig, LeavesOutWhatTheFixedProbeDoesNotFind) {
  Choices basic;
  basic.plans.search.level = 0;
  const auto known = study_with("Gelu+:1:-1", false, basic);
  EXPECT_TRUE(exported_config(*known).left_out.empty());
  EXPECT_EQ(to_string(exported_config(*known).config), "Gelu+:1:-1");
}

}  // namespace exported_config_test
}  // namespace stashscope
