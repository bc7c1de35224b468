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

/// Limits beyond which a child counts as failed.
struct ChildLimits {
  std::optional<std::chrono::milliseconds> time;
  std::size_t output = std::numeric_limits<std::size_t>::max();  ///< bytes printed
};

/// Limit on the bytes of `ChildEnd::last_words` that a message shows. The limit leaves room for a
/// config string: if the step does not fit into memory, the worker's last words name plans with
/// which the step fits.
constexpr std::size_t most_last_words = 8000;

/// How a child ended.
struct ChildEnd {
  int status = 0;          ///< as a shell reports it: 128 + signal for a crash
  std::string last_words;  ///< the last line of its standard error
};

/// The message for a child whose `last_words` are empty.
std::string describe_end(int status);
/// The message for a child that failed: the child's last words. If a signal ended the child, the
/// message starts with the signal.
std::string describe_end(const ChildEnd& end);
/// The kind of error for which an exit code of the project's programs stands.
ErrorKind kind_of_end(int status);

/// Like `run_child`, but without limits. Returns how the program ended instead of throwing an Error
/// when the program fails.
/// @param input what the program reads, piece by piece; not copied. When the program stops reading,
/// the rest of the input is dropped.
ChildEnd run_child_to_end(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          const std::function<void(const std::string&)>& on_line,
                          const Progress& progress, const std::vector<std::string_view>& input);

/// Runs a program and passes on its standard output line by line. A fault in the program does not
/// harm this process. The program is killed when this process ends for any reason.
///
/// When the program ends with a status other than 0, throws an Error with the program's last words.
/// The status determines the kind of the Error. Kills the program and throws a run Error when the
/// program exceeds a limit, and a cancelled Error when `progress` is cancelled.
/// @param arguments without the program's name
/// @param on_line called on this thread
/// @param input what the program reads on its standard input
void run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
               const std::function<void(const std::string&)>& on_line, const Progress& progress,
               const std::string& input = {}, const ChildLimits& limits = {});

/// The path of the running program.
std::filesystem::path running_program();

/// The worker program in the folder of the running program.
std::filesystem::path worker_program();

}  // namespace stashscope
