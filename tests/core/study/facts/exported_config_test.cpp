#include "core/study/facts/exported_config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/files.h"
#include "core/passes/graph_pass.h"
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

TEST(ExportedConfig, NamesThePassesThatItCannotHold) {
  Choices choices;
  choices.graph.passes = {"fuse_matmul"};
  const auto study = study_with("", false, choices);
  const ExportedEnvironment exported = exported_environment(*study, "plans.sh");
  EXPECT_TRUE(exported.switches_nothing_on);
  ASSERT_EQ(exported.left_out.size(), 1U);
  EXPECT_NE(exported.left_out[0].find(find_pass("fuse_matmul").title), std::string::npos);
  choices.plans.level = 1;
  const std::string block = exported_environment(*study_with("", false, choices), "plans.sh").block;
  EXPECT_NE(block.find("LEVEL=1\n"), std::string::npos) << block;
  EXPECT_NE(block.find("# passes change the model"), std::string::npos) << block;
}

TEST(ExportedConfig, NamesTheWhatIfsThatItCannotHold) {
  Choices choices;
  choices.dims["N"] = 8;
  choices.graph.what_ifs = {{"micro", "4"}};
  const std::string words = find_what_if("micro").words("4");
  const ExportedEnvironment none = exported_environment(*study_with("", false, choices), "");
  EXPECT_TRUE(none.switches_nothing_on);
  ASSERT_EQ(none.left_out.size(), 1U);
  EXPECT_NE(none.left_out[0].find("what-ifs"), std::string::npos) << none.left_out[0];
  EXPECT_NE(none.left_out[0].find(words), std::string::npos) << none.left_out[0];
  choices.graph.passes = {"fuse_matmul"};
  const ExportedConfig both = exported_config(*study_with("Gelu+:1:-1", false, choices));
  EXPECT_EQ(both.left_out.size(), 2U);
  choices.graph = {};
  choices.graph.what_ifs = {{"attention", "flash"}};
  EXPECT_TRUE(exported_config(*study_with("Gelu+:1:-1", false, choices)).left_out.empty())
      << "the model has no attention";
}

/// Two equal layers, so that a count can choose one of them.
std::shared_ptr<const Study> study_of_two_layers(const std::string& plans, Reference reference) {
  test::ModelBuilder m;
  m.input("x", {"N", 8}).input("labels", {"N"}, ElementType::int64).weight("w", {8, 8});
  m.node("MatMul", {"x", "w"}, {"h"}).node("Gelu", {"h"}, {"g"}, {}, "com.microsoft");
  m.node("MatMul", {"g", "w"}, {"k"}).node("Gelu", {"k"}, {"s"}, {}, "com.microsoft");
  m.node("MatMul", {"s", "w"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"});
  Choices choices;
  choices.plans.config = parse_config(plans);
  choices.plans.search.reference = reference;
  return compute_study(std::make_shared<const Graph>(m.output("loss").build()), choices, nullptr,
                       {});
}

TEST(ExportedEffect, IsThatOfAllOccurrencesWhereCountsAreIgnored) {
  const auto one = study_of_two_layers("Gelu+:1:1", Reference::release_1_19_2);
  const auto both = study_of_two_layers("Gelu+:1:-1", Reference::release_1_19_2);
  ASSERT_EQ(one->applied.size(), 1U);
  ASSERT_EQ(both->applied.size(), 2U);
  const auto effect = exported_effect(*one, Progress());
  ASSERT_TRUE(effect);
  EXPECT_EQ(effect->peak_bytes, both->current->timeline.peak_bytes);
  EXPECT_EQ(effect->extra_seconds, extra_seconds(*both));
  EXPECT_GT(effect->extra_seconds, extra_seconds(*one));
  EXPECT_FALSE(exported_effect(*both, Progress()));
}

TEST(ExportedEffect, IsNoneWhereCountsAreRead) {
  const auto one = study_of_two_layers("Gelu+:1:1", Reference::november_2023);
  ASSERT_EQ(one->applied.size(), 1U);
  EXPECT_FALSE(exported_effect(*one, Progress()));
}

TEST(ExportedEffect, IsNoneWithWhatIfsThatAConfigLacks) {
  const auto one = study_of_two_layers("Gelu+:1:1", Reference::release_1_19_2);
  Choices choices = one->choices;
  choices.graph.what_ifs["loss"] = "pieces";
  const auto unchanged = compute_study(one->model, choices, nullptr, {});
  EXPECT_TRUE(exported_effect(*unchanged, Progress())) << "the loss is too small for pieces";
  choices.dims["N"] = 8;
  choices.graph.what_ifs = {{"micro", "4"}};
  const auto changed = compute_study(one->model, choices, nullptr, {});
  ASSERT_EQ(changed->applied.size(), 1U);
  EXPECT_FALSE(exported_effect(*changed, Progress()));
}

TEST(ExportedEffect, IsNoneWithPassesThatAConfigLacks) {
  const auto one = study_of_two_layers("Gelu+:1:1", Reference::release_1_19_2);
  Choices choices = one->choices;
  choices.graph.passes.insert("keep_loss_only");
  const auto changed = compute_study(one->model, choices, nullptr, {});
  ASSERT_EQ(changed->applied.size(), 1U);
  EXPECT_TRUE(changes_model(*changed));
  EXPECT_FALSE(exported_effect(*changed, Progress()));
}

TEST(ExportedEffect, LeavesOutPlansThatAreNotRead) {
  const auto study = study_with("Softplus+:1:-1", true);
  const auto effect = exported_effect(*study, Progress());
  ASSERT_TRUE(effect);
  EXPECT_EQ(effect->peak_bytes, study->baseline->timeline.peak_bytes);
  EXPECT_EQ(effect->extra_seconds, 0);
}

TEST(ConfigList, RefusesWhatJsonCannotHold) {
  const std::string said = test::refusal(ErrorKind::input, [] {
    config_list({{"\xff+", ClusterChoice{}}});
  });
  EXPECT_NE(said.find("UTF-8"), std::string::npos) << said;
}

}  // namespace exported_config_test
}  // namespace stashscope
