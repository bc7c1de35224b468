#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "core/run/measurement/run_counts.h"
#include "core/run/step/runner.h"
#include "core/study/choices/choices.h"
#include "core/study/files/overwrite_guard.h"

namespace stashscope::app {

/// The options of the worker for running a step.
struct RunOptions {
  std::string inputs;       ///< folder; empty: random data
  std::string compare;      ///< folder; empty: nothing is compared
  double tolerance = 1e-3;  ///< relative to a tensor's largest value
  std::uint64_t seed = 1;
  std::string trace;  ///< output file, like the next three members; empty: no output
  std::string measurement;
  std::string profile;
  std::string summary;
  std::optional<int> warm_up;  ///< not set: `run_counts` decides
  int repeats = 1;
  bool stream = false;
  bool digest = false;
  bool untraced = false;
  bool rounds_to_tf32 = false;
  bool updates = false;  ///< updates the parameters after each run
  double learning_rate = 1e-3;
  std::string memory_limit;  ///< such as 12GiB; empty: no limit

  bool compares() const { return !compare.empty(); }
  bool measures() const { return !measurement.empty() || !profile.empty(); }
  /// Whether a requested output contains the time of a step.
  bool tells_times() const { return measures() || stream || !summary.empty() || repeats > 1; }
};

/// Declares the options.
void add_run_options(CLI::App& program, RunOptions& options);

/// The settings of the runner. Throws a usage Error for a memory limit that is not a size.
RunSettings run_settings(const RunOptions& options);

/// How often a step runs under these choices. By default, one warm-up run precedes runs on a GPU
/// and runs whose times are reported, because the first run is the slowest. If the runs update the
/// parameters, the default is no warm-up run.
RunCounts run_counts(const RunOptions& options, const Choices& choices);

/// Throws a usage Error for --update without an optimizer.
void check_choices(const RunOptions& options, const Choices& choices);

/// Throws a usage Error if an output would overwrite an input or another output, and an input Error
/// if an output cannot be written.
void check_outputs(const RunOptions& options, OverwriteGuard files);

}  // namespace stashscope::app
