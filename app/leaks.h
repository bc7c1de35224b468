#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace stashscope::app {

/// @param snapshots takes the files of --find-leaks; empty: not given
void add_leak_options(CLI::App& program, std::vector<std::string>& snapshots);

/// Prints what grows from step to step: in the trace of one memory snapshot, or between several
/// snapshots, each taken after a step. Returns the exit code.
/// @param format text or json
int run_leak_search(const std::vector<std::string>& snapshots, const std::string& format);

}  // namespace stashscope::app
