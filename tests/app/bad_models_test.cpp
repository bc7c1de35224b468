// Every damaged or odd model of the shared folder gets the answer that the manifest requires.

#include <fstream>

#include "tests/app/limited_run.h"

namespace stashscope {
namespace bad_models_test {

namespace fs = std::filesystem;

const fs::path folder = STASHSCOPE_SHARED "/models/bad";

/// A row of the manifest: | file | bytes | verdict | what | good answer |
struct Row {
  std::string file;
  std::string verdict;

  friend std::ostream& operator<<(std::ostream& to, const Row& row) {
    return to << row.file << " " << row.verdict;
  }
};

std::vector<Row> manifest() {
  std::vector<Row> rows;
  std::ifstream file(folder / "MANIFEST.md");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() < 5 || trimmed(cells[1]).find(".onnx") == std::string::npos) continue;
    rows.push_back({trimmed(cells[1]), trimmed(cells[3])});
  }
  return rows;
}

class BadModel : public testing::TestWithParam<Row> {};

TEST_P(BadModel, GetsTheAnswerOfItsManifest) {
  const auto& [file, verdict] = GetParam();
  const LimitedRun outcome =
      run_limited({STASHSCOPE_PROGRAM, "--batch", (folder / file).string()}, folder);
  SCOPED_TRACE(join(outcome.errors, "\n"));
  EXPECT_LE(outcome.seconds, most_seconds(5));
  EXPECT_LE(outcome.resident_bytes, most_resident);
  const bool refused = outcome.status != 0;
  EXPECT_LE(outcome.status, 1);
  EXPECT_EQ(outcome.errors.size(), refused ? 1U : 0U);
  if (refused && !outcome.errors.empty()) {
    EXPECT_NE(outcome.errors[0].find(file), std::string::npos);
  }
  if (verdict == "REJECT") {
    EXPECT_TRUE(refused);
  } else if (verdict == "OK") {
    EXPECT_FALSE(refused);
  } else {
    EXPECT_TRUE(refused || !outcome.notes.empty()) << "no error and no note";
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, BadModel, testing::ValuesIn(manifest()),
                         [](const auto& info) { return test_name(info.param.file); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BadModel);

}  // namespace bad_models_test
}  // namespace stashscope
