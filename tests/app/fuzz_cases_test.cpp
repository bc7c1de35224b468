// Commands that once broke the programs, one row each. Every command must end by itself, soon and
// with little memory. If it fails, it must print one clear line.

#include <fstream>

#include "tests/app/limited_run.h"

namespace stashscope {
namespace fuzz_cases_test {

namespace fs = std::filesystem;

const fs::path folder = STASHSCOPE_SHARED "/cases/fuzz";

/// A row of the table: file,command,seen
struct Row {
  std::string file;
  std::string command;

  friend std::ostream& operator<<(std::ostream& to, const Row& row) { return to << row.command; }
};

/// The cell that begins at `begin`; cells with commas stand in quotes.
std::string cell_at(const std::string& line, std::size_t begin) {
  const bool quoted = line[begin] == '"';
  return line.substr(begin + quoted, line.find(quoted ? '"' : ',', begin + 1) - begin - quoted);
}

std::vector<Row> table() {
  std::vector<Row> rows;
  std::ifstream file(folder / "cases.csv");
  for (std::string line; std::getline(file, line);) {
    const std::size_t comma = line.find(',');
    if (line.find(".onnx,") == comma - 5)
      rows.push_back({line.substr(0, comma), cell_at(line, comma + 1)});
  }
  return rows;
}

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words = split(command, ' ');
  words[0] = words[0] == "stashscope" ? STASHSCOPE_PROGRAM : STASHSCOPE_WORKER;
  return words;
}

class FuzzCase : public testing::TestWithParam<Row> {};

TEST_P(FuzzCase, EndsWithAnAnswer) {
  const LimitedRun outcome = run_limited(words_of(GetParam().command), folder);
  SCOPED_TRACE(join(outcome.errors, "\n"));
  EXPECT_LE(outcome.seconds, most_seconds(10));
  EXPECT_LE(outcome.resident_bytes, most_resident);
  EXPECT_LE(outcome.status, 4);
  EXPECT_EQ(outcome.errors.size(), outcome.status == 0 ? 0U : 1U);
  constexpr std::size_t longest_line = 500;
  for (const auto* const lines : {&outcome.errors, &outcome.notes}) {
    for (const std::string& line : *lines) EXPECT_LE(line.size(), longest_line) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, FuzzCase, testing::ValuesIn(table()),
                         [](const auto& info) { return test_name(info.param.file); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FuzzCase);

}  // namespace fuzz_cases_test
}  // namespace stashscope
