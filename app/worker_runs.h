#pragma once

#include <functional>

#include "core/run/run_counts.h"
#include "core/run/runner.h"
#include "core/study/study.h"

namespace stashscope::app {

/// Called with the index of a run before it starts; returns what sees its events.
using BeforeRun = std::function<TraceSink(int)>;

/// Runs a variant as often as asked, always with the same data.
class RepeatedRuns {
 public:
  /// Refers to its arguments.
  RepeatedRuns(const Study& study, const Runner& runner, const NamedTensors& inputs,
               const RunCounts& counts)
      : study_(study), runner_(runner), inputs_(inputs), counts_(counts) {}

  /// The outputs of the last run, and the measurement of all that count. Where the
  /// device is out of memory, the Error says what plan would fit.
  RunResult run(const Variant& variant, const BeforeRun& before_run) const;

 private:
  const Study& study_;
  const Runner& runner_;
  const NamedTensors& inputs_;
  const RunCounts& counts_;
};

/// For another program: both variants, every event on standard output.
void stream_variants(const Study& study, const RepeatedRuns& runs, const RunCounts& counts);

}  // namespace stashscope::app
