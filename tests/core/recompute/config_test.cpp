#include "core/recompute/config.h"

#include <gtest/gtest.h>

#include "core/base/files.h"
#include "tests/support/folder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace {

TEST(EnvironmentBlock, QuotesAsTheReferenceDoes) {
  EXPECT_NE(environment_block(parse_config("BiasGelu+:1:-1"), {})
                .find("export ORTMODULE_MEMORY_OPT_CONFIG=\"BiasGelu+:1:-1\"\n"),
            std::string::npos);
}

TEST(EnvironmentBlock, ShowsAShellNothingToRun) {
  EXPECT_NE(environment_block(parse_config("$(touch pwned)+:1:-1"), {})
                .find("CONFIG='$(touch pwned)+:1:-1'\n"),
            std::string::npos);
  EXPECT_NE(environment_block(parse_config("a'`b`+:1:-1"), {}).find("CONFIG='a'\\''`b`+:1:-1'\n"),
            std::string::npos);
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
  const std::string said = test::refusal(
      ErrorKind::usage, [&] { add_config_argument("@" + (folder / "plans").string(), config); });
  EXPECT_NE(said.find((folder / "plans").string()), std::string::npos) << said;
}

}  // namespace
}  // namespace stashscope
