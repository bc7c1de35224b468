#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/run/measurement/trace.h"

namespace stashscope {

constexpr int most_runs = 1000;

/// How often a step runs; every run reads the same inputs.
struct RunCounts {
  /// Runs before the measured runs, 0 to most_runs. They are not measured, because the first run
  /// also loads code and fills memory pools.
  int warm_up = 1;
  int repeats = 1;  ///< measured runs, 1 to most_runs

  int all() const { return warm_up + repeats; }
  friend bool operator==(const RunCounts&, const RunCounts&) = default;
};

/// Throws a usage Error when a count is out of range.
void check_run_counts(const RunCounts& counts);

/// The name of the run at `index` (from 0), such as `warm-up 1 of 2` or `run 3 of 5`. Empty when
/// the step runs only once.
std::string describe_run(const RunCounts& counts, int index);

/// Combines several runs of a step: the memory of the last run, the largest difference of a slot's
/// live bytes between the last run and any other, and the median times of the nodes and the step.
/// Throws a run Error when the runs have different numbers of nodes.
/// @param repeats not empty
Measurement combined(std::vector<Measurement> repeats);

}  // namespace stashscope
