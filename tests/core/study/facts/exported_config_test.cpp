#include "core/study/facts/exported_config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/files.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

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
  const auto [block, file, left_out, is_empty] = exported_environment(*study, "plans.sh");
  EXPECT_EQ(file, "");
  EXPECT_FALSE(is_empty);
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
  const auto [block, file, left_out, is_empty] = exported_environment(*study, "/plans/here.sh");
  EXPECT_FALSE(is_empty);
  EXPECT_EQ(file, "[\"Gelu+:1:-1\"]\n");
  EXPECT_NE(block.find("OPT_LEVEL=0\n"), std::string::npos) << block;
  EXPECT_NE(block.find("OPT_CONFIG='/plans/here.sh.json'\n"), std::string::npos) << block;
  EXPECT_EQ(block.find("PROBE"), std::string::npos) << block;
  EXPECT_NE(block.find("left out: MatMul:3:-1\n"), std::string::npos) << block;
}

TEST(ExportedConfig, IsALevelAloneWhereThatIsEnough) {
  Choices choices;
  choices.plans.level = 1;
  const auto [block, file, left_out, is_empty] =
      exported_environment(*study_with("", false, choices), "plans.sh");
  EXPECT_EQ(block, "export ORTMODULE_MEMORY_OPT_LEVEL=1\n");
  EXPECT_EQ(file, "");
  EXPECT_FALSE(is_empty) << "the level switches plans on";
  choices.plans.pinned = {"make_g"};
  EXPECT_NE(exported_environment(*study_with("", false, choices), "plans.sh").config_file, "");
}

TEST(ExportedConfig, SaysThatItSwitchesNothingOn) {
  EXPECT_TRUE(exported_environment(*study_with("MatMul:3:-1", false), "").switches_nothing_on);
}

TEST(ExportedConfig, IsNoLevelWhereTheChoicesDiffer) {
  Choices choices;
  choices.plans.level = 1;
  const auto block = [&](const std::string& plans, bool widened) {
    return exported_environment(*study_with(plans, widened, choices), "plans.sh").block;
  };
  EXPECT_EQ(block("", false), "export ORTMODULE_MEMORY_OPT_LEVEL=1\n");
  EXPECT_NE(block("Gelu+:0:0", false).find("OPT_LEVEL=0\n"), std::string::npos);
  EXPECT_NE(block("", true).find("left out: Softplus+:1:-1"), std::string::npos);
  choices.plans.config = {};
  const auto off = study_with("Gelu+:0:0", false, choices);
  EXPECT_EQ(exported_environment(*off, "plans.sh").config_file.find("Gelu+"), std::string::npos);
}

TEST(ExportedConfig, IsWrittenOverItsOwnFilesOnly) {
  std::string folder = std::filesystem::temp_directory_path() / "stashscope-test-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string block = folder + "/plans.sh";
  const auto study = study_with("Gelu+:1:-1", false);
  const ExportedEnvironment exported = exported_environment(*study, block);
  write_environment(exported, block);
  write_environment(exported, block);
  EXPECT_EQ(read_file(config_file_beside(block)), "[\"Gelu+:1:-1\"]\n");
  write_file_atomically(config_file_beside(block), "{\"mine\": 1}");
  const std::string said =
      test::refusal(ErrorKind::input, [&] { write_environment(exported, block); });
  EXPECT_NE(said.find("plans.sh.json"), std::string::npos) << said;
  EXPECT_EQ(read_file(config_file_beside(block)), "{\"mine\": 1}");
  std::filesystem::remove_all(folder);
}

TEST(ConfigList, RefusesWhatJsonCannotHold) {
  const std::string said = test::refusal(ErrorKind::input, [] {
    config_list({{"\xff+", ClusterChoice{}}});
  });
  EXPECT_NE(said.find("UTF-8"), std::string::npos) << said;
}

}  // namespace exported_config_test
}  // namespace stashscope
