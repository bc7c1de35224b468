#pragma once

#include <chrono>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/run/trace.h"

namespace stashscope {

/// What the worker program prints, line by line, when it runs a session for another program: events
/// of trace.h between these.
constexpr std::string_view worker_variant_line = "V ";  ///< followed by `baseline` or `current`
constexpr std::string_view worker_size_line = "D ";  ///< followed by size, space and name of a dim
constexpr std::string_view worker_done_line = "Z";   ///< everything went well

/// What a child may take before it counts as failed.
struct ChildLimits {
  std::optional<std::chrono::milliseconds> time;
  std::size_t output = std::numeric_limits<std::size_t>::max();  ///< bytes that it prints
};

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
