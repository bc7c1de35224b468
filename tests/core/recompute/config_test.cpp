#include "core/recompute/config.h"

#include <gtest/gtest.h>

#include "core/base/files.h"
#include "tests/support/folder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace config_test {

TEST(EnvironmentBlock, QuotesAsTheReferenceDoes) {
  EXPECT_NE(environment_block(parse_config("BiasGelu+:1:-1"), {}, {})
                .find("export ORTMODULE_MEMORY_OPT_CONFIG=\"BiasGelu+:1:-1\"\n"),
            std::string::npos);
}

TEST(EnvironmentBlock, ShowsAShellNothingToRun) {
  EXPECT_NE(environment_block(parse_config("$(touch pwned)+:1:-1"), {}, {})
                .find("CONFIG='$(touch pwned)+:1:-1'\n"),
            std::string::npos);
  EXPECT_NE(
      environment_block(parse_config("a'`b`+:1:-1"), {}, {}).find("CONFIG='a'\\''`b`+:1:-1'\n"),
      std::string::npos);
}

TEST(EnvironmentBlock, EndsWithComments) {
  const std::string block = environment_block(parse_config("Gelu+:1:-1"), {}, {"one", "two"});
  EXPECT_NE(block.find("\n# one\n# two\n"), std::string::npos) << block;
}

TEST(Config, NamesAnOperatorForTypesThreeAndFour) {
  const RecomputeConfig config = parse_config("Softmax:3:-1,MatMul:4:2");
  EXPECT_EQ(config.at("Softmax").type, PlanType::offload);
  EXPECT_EQ(config.at("MatMul"), (ClusterChoice{PlanType::compress, 2}));
  EXPECT_EQ(parse_config(to_string(config)), config);
  // A cluster cannot be offloaded; ONNX Runtime's own message is used.
  EXPECT_NE(test::refusal(ErrorKind::usage, [] { parse_config("Gelu+:3:-1"); })
                .find("Invalid optimization type specified for subgraph: Gelu+"),
            std::string::npos);
  EXPECT_FALSE(test::refusal(ErrorKind::usage, [] { parse_config("Gelu:5:-1"); }).empty());
}

TEST(Config, TakesTheFirstVersionsForm) {
  const RecomputeConfig config = parse_config("Dropout:0,Gelu:1");
  EXPECT_EQ(config.at("Gelu"), (ClusterChoice{PlanType::recompute, -1, true}));
  EXPECT_EQ(config.at("Dropout").type, PlanType::none);
  EXPECT_EQ(to_string(config), "Dropout:0,Gelu:1");
  EXPECT_FALSE(test::refusal(ErrorKind::usage, [] { parse_config("Gelu:2"); }).empty());
  EXPECT_FALSE(test::refusal(ErrorKind::usage, [] { parse_config("Gelu+:1"); }).empty());
}

TEST(ConfigFile, HoldsLinesOrAList) {
  const test::Folder folder;
  for (const char* text : {"Gelu+:1:2\n\nCast+:2:-1\r\n", "[\"Gelu+:1:2\", \"Cast+:2:-1\"]",
                           "\xEF\xBB\xBFGelu+:1:2,Cast+:2:-1"}) {
    write_file_atomically(folder / "plans", text);
    RecomputeConfig config;
    add_config_argument("@" + (folder / "plans").string(), config);
    EXPECT_EQ(config, parse_config("Gelu+:1:2,Cast+:2:-1")) << text;
  }
}

TEST(ConfigFile, IsNamedByItsFaults) {
  const test::Folder folder;
  write_file_atomically(folder / "plans", "Gelu+:1\n");
  RecomputeConfig config;
  const auto refusal = [&] {
    return test::refusal(ErrorKind::input,
                         [&] { add_config_argument("@" + (folder / "plans").string(), config); });
  };
  EXPECT_NE(refusal().find((folder / "plans").string()), std::string::npos) << refusal();
  write_file_atomically(folder / "plans", "{\"Gelu+\": 1}");
  EXPECT_NE(refusal().find("JSON list"), std::string::npos) << refusal();
}

}  // namespace config_test
}  // namespace stashscope
