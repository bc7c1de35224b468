#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace stashscope::app {

struct ReplayOptions {
  std::string events;          ///< recorded events or a snapshot; empty: no replay
  std::string segments;        ///< the state at the end of recorded events
  bool own_addresses = false;  ///< whether new segments lie where the allocator's model puts them
};

void add_replay_options(CLI::App& program, ReplayOptions& options);

/// Plays a recorded trace of PyTorch's allocator and prints how far this program's model of the
/// allocator reproduces the recording. Returns the exit code.
/// @param advises whether it also prints what other settings would reserve
/// @param format text or json
int run_replay(const ReplayOptions& options, bool advises, const std::string& format);

}  // namespace stashscope::app
