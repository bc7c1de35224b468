#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/run/measurement/trace.h"

namespace stashscope {

constexpr int most_runs = 1000;

/// How often a step runs, always with the same data.
struct RunCounts {
  /// Runs before that do not count, 0 to most_runs: the first one loads code and finds its memory.
  int warm_up = 1;
  int repeats = 1;  ///< that count, 1 to most_runs

  int all() const { return warm_up + repeats; }
  friend bool operator==(const RunCounts&, const RunCounts&) = default;
};

/// Throws a usage Error for counts out of their range.
void check_run_counts(const RunCounts& counts);

/// `warm-up 1 of 2`, `run 3 of 5`: the run of that index from 0; empty where there is only one.
std::string describe_run(const RunCounts& counts, int index);

/// One measurement of several runs of a step: the memory of the last one, and how far that of the
/// others was from it; of each node the median time. @param repeats not empty
/// Throws a run Error when they have different numbers of steps.
Measurement combined(std::vector<Measurement> repeats);

}  // namespace stashscope
