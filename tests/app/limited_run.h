#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/text.h"
#include "tests/support/folder.h"
#include "tests/support/sanitizer.h"

/// Runs a program on input that may break it, with a limit of processor time, which ends a hang.
namespace stashscope {

/// The sanitizer's shadow memory and quarantine come on top of the program's memory.
constexpr std::int64_t most_resident = std::int64_t{test::sanitized ? 2 : 1} << 30;

/// Processor time, which does not depend on other programs. Sanitized code is several times slower.
constexpr double most_seconds(double otherwise) { return otherwise * (test::sanitized ? 4 : 1); }

struct LimitedRun {
  int status = -1;  ///< exit status; from 128 on, 128 plus the signal that ended the program
  double seconds = 0;
  std::int64_t resident_bytes = 0;
  std::vector<std::string> errors;  ///< lines
  std::vector<std::string> notes;
};

/// Becomes the program `words[0]`, with nothing to read and its errors in a file.
[[noreturn]] inline void become(std::vector<std::string> words, const std::filesystem::path& folder,
                                const std::string& errors) {
  const rlimit limit{60, 60};
  ::setrlimit(RLIMIT_CPU, &limit);
  ::dup2(::open("/dev/null", O_RDWR), STDIN_FILENO);
  ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
  ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (::chdir(folder.c_str()) == 0) ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

/// @param folder in which the program runs
inline LimitedRun run_limited(const std::vector<std::string>& words,
                              const std::filesystem::path& folder) {
  const test::Folder kept;
  const std::string errors = kept / "errors.txt";
  const pid_t child = ::fork();
  if (child == 0) become(words, folder, errors);
  int status = 0;
  rusage used{};
  EXPECT_EQ(::wait4(child, &status, 0, &used), child);
  LimitedRun run;
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.resident_bytes = std::int64_t{1024} * used.ru_maxrss;
  for (const timeval& time : {used.ru_utime, used.ru_stime}) {
    run.seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  for (const std::string& line : split(read_file(errors), '\n')) {
    if (line.empty()) continue;
    const bool note = line.find(" note: ") != std::string::npos;
    (note ? run.notes : run.errors).push_back(line);
  }
  return run;
}

/// The name of a test for a file: its stem with underscores.
inline std::string test_name(const std::string& file) {
  std::string name = std::filesystem::path(file).stem();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

}  // namespace stashscope
