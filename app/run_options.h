#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/run/run_counts.h"
#include "core/run/runner.h"
#include "core/study/taken_files.h"

namespace stashscope::app {

/// What the worker is asked to do with a step.
struct RunOptions {
  std::string inputs;       ///< folder; empty: random data
  std::string compare;      ///< folder; empty: nothing is compared
  double tolerance = 1e-3;  ///< of a tensor's largest value
  std::uint64_t seed = 1;
  std::string trace;  ///< files that are written; empty: not asked for
  std::string measurement;
  std::string profile;
  std::string summary;
  RunCounts counts;
  bool stream = false;
  bool digest = false;
  bool untraced = false;
  bool rounds_to_tf32 = false;
  bool updates = false;
  double learning_rate = 1e-3;
  std::string memory_limit;  ///< bytes as people write them; empty: the device's own

  bool compares() const { return !compare.empty(); }
  bool measures_both() const { return !measurement.empty() || !profile.empty(); }
};

/// Declares the options.
void add_run_options(CLI::App& program, RunOptions& options);

/// How the runner is to run. Throws a usage Error for a limit that is no size.
RunSettings run_settings(const RunOptions& options);

/// Throws a usage Error when a file that is to be written is one that is read.
void check_outputs(const RunOptions& options, TakenFiles files);

}  // namespace stashscope::app
