#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/progress.h"

namespace stashscope {

/// What a child may take before it counts as failed.
struct ChildLimits {
  std::optional<std::chrono::milliseconds> time;
  std::size_t output = std::numeric_limits<std::size_t>::max();  ///< bytes that it prints
};

/// Characters that are shown of last words: a whole plan, which a step may need to fit.
constexpr std::size_t most_last_words = 8000;

/// How a child ended.
struct ChildEnd {
  int status = 0;          ///< as the shell counts it: 128 + signal for a crash
  std::string last_words;  ///< the last line of its standard error
};

/// For a child that ended without saying why.
std::string describe_end(int status);
/// By the exit codes of the project's programs.
ErrorKind kind_of_end(int status);

/// Runs a program as `run_child` does, but tells how it ended, whatever it was.
/// @param input what it reads, piece by piece; nothing is copied. A program that stops reading
/// misses the rest.
ChildEnd run_child_to_end(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          const std::function<void(const std::string&)>& on_line,
                          const Progress& progress, const std::vector<std::string_view>& input);

/// Runs a program and hands its standard output over line by line, so that a fault in it stays its
/// own. The program is killed when this process ends, however that comes.
/// @param arguments without the program's name
/// @param on_line called on this thread
/// @param input what the program reads on its standard input
/// Throws a run Error with the program's last words when it does not end with status 0, one that
/// names the limit (after killing it) when it goes beyond one, and a cancelled one (after killing
/// it) when `progress` is cancelled.
void run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
               const std::function<void(const std::string&)>& on_line, const Progress& progress,
               const std::string& input = {}, const ChildLimits& limits = {});

/// The file of the running program.
std::filesystem::path running_program();

/// The worker program that lies beside the running one.
std::filesystem::path worker_program();

}  // namespace stashscope
