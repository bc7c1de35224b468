// Every damaged or odd model of the shared folder gets the answer that the manifest requires.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/base/files.h"
#include "core/base/text.h"
#include "tests/support/folder.h"

namespace stashscope {
namespace bad_models_test {

namespace fs = std::filesystem;

const fs::path folder = STASHSCOPE_SHARED "/models/bad";

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
/// The sanitizer's shadow memory and quarantine come on top of the program's memory.
constexpr std::int64_t most_resident = std::int64_t{sanitized ? 2 : 1} << 30;
/// Processor time, which does not depend on other programs. Sanitized code is several times slower.
constexpr double most_seconds = sanitized ? 20 : 5;

/// A row of the manifest: | file | bytes | verdict | what | good answer |
struct Row {
  std::string file;
  std::string verdict;

  friend std::ostream& operator<<(std::ostream& to, const Row& row) {
    return to << row.file << " " << row.verdict;
  }
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

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

struct Outcome {
  int status = -1;  ///< exit status; from 128 on, 128 plus the signal that ended the program
  double seconds = 0;
  std::int64_t resident_bytes = 0;
  std::vector<std::string> errors;  ///< lines
  std::vector<std::string> notes;
};

/// Runs `stashscope --batch FILE` in a child with a limit of processor time, which ends a hang.
Outcome analyse(const fs::path& model) {
  const test::Folder folder;
  const std::string errors = folder / "errors.txt";
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{60, 60};
    ::setrlimit(RLIMIT_CPU, &limit);
    ::dup2(::open("/dev/null", O_RDWR), STDIN_FILENO);
    ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
    ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    ::execl(STASHSCOPE_PROGRAM, STASHSCOPE_PROGRAM, "--batch", model.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  EXPECT_EQ(::wait4(child, &status, 0, &used), child);
  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.resident_bytes = std::int64_t{1024} * used.ru_maxrss;
  for (const timeval& time : {used.ru_utime, used.ru_stime}) {
    outcome.seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  for (const std::string& line : split(read_file(errors), '\n')) {
    if (line.empty()) continue;
    const bool note = line.find(" note: ") != std::string::npos;
    (note ? outcome.notes : outcome.errors).push_back(line);
  }
  return outcome;
}

class BadModel : public testing::TestWithParam<Row> {};

TEST_P(BadModel, GetsTheAnswerOfItsManifest) {
  const auto& [file, verdict] = GetParam();
  const Outcome outcome = analyse(folder / file);
  SCOPED_TRACE(join(outcome.errors, "\n"));
  EXPECT_LE(outcome.seconds, most_seconds);
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

INSTANTIATE_TEST_SUITE_P(Shared, BadModel, testing::ValuesIn(manifest()), [](const auto& info) {
  std::string name = fs::path(info.param.file).stem();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BadModel);

}  // namespace bad_models_test
}  // namespace stashscope
