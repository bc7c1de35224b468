#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "core/run/measurement/run_counts.h"
#include "core/run/step/runner.h"
#include "core/study/choices/choices.h"
#include "core/study/files/overwrite_guard.h"

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
  std::optional<int> warm_up;  ///< nothing: as what is asked for needs it
  int repeats = 1;
  bool stream = false;
  bool digest = false;
  bool untraced = false;
  bool rounds_to_tf32 = false;
  bool updates = false;  ///< parameters after each run
  double learning_rate = 1e-3;
  std::string memory_limit;  ///< bytes as people write them; empty: the device's own

  bool compares() const { return !compare.empty(); }
  bool measures() const { return !measurement.empty() || !profile.empty(); }
  /// Whether what is asked for tells how long a step takes.
  bool tells_times() const { return measures() || stream || !summary.empty() || repeats > 1; }
};

/// Declares the options.
void add_run_options(CLI::App& program, RunOptions& options);

/// How the runner is to run. Throws a usage Error for a limit that is no size.
RunSettings run_settings(const RunOptions& options);

/// How often a step runs under these choices. Where it is not said, a first run, which is slower
/// than all others, goes before those that are timed; not where each run is a step of a training.
RunCounts run_counts(const RunOptions& options, const Choices& choices);

/// Throws a usage Error for what is asked for but can have no effect under these choices.
void check_choices(const RunOptions& options, const Choices& choices);

/// Throws a usage Error when a file that is to be written is one that is read, and an input Error
/// when it cannot be written.
void check_outputs(const RunOptions& options, OverwriteGuard files);

}  // namespace stashscope::app
