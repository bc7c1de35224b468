#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/run/measurement/run_counts.h"
#include "core/run/step/runner.h"
#include "core/study/measured/measure.h"

namespace stashscope::app {

/// Called with the index of a run before the run starts; returns the sink of the run's events.
using BeforeRun = std::function<TraceSink(int)>;

/// The measurement of the step without plans, or why this step does not fit on the device.
struct BaselineRun {
  std::optional<Measurement> measurement;
  std::string no_room;
};

/// Discards all events.
TraceSink without_events(int index);

/// Runs a variant as often as requested, always with the same data.
class RepeatedRuns {
 public:
  /// Keeps references to all arguments except the counts.
  RepeatedRuns(const Study& study, const Runner& runner, const NamedTensors& inputs,
               const RunCounts& counts)
      : study_(study), runner_(runner), inputs_(inputs), counts_(counts) {}

  /// The outputs of the last run and the combined measurement of all counted runs. If the variant
  /// does not fit on the device, throws an Error that names the variant and says what would fit.
  RunResult run_current(const BeforeRun& before_run) const;

  /// The measurement of the step without plans. If this step does not fit on the device, the result
  /// states why, and no Error is thrown: the step with plans may still fit.
  BaselineRun run_baseline(const BeforeRun& before_run) const;

  const RunCounts& counts() const { return counts_; }

 private:
  RunResult run(const Variant& variant, const BeforeRun& before_run) const;

  const Study& study_;
  const Runner& runner_;
  const NamedTensors& inputs_;
  RunCounts counts_;
};

/// Measures both variants and discards their events.
StudyMeasurements measured_both(const RepeatedRuns& runs);

/// Runs both variants and prints every event on standard output for another program
/// (worker_lines.h).
void stream_variants(const Study& study, const RepeatedRuns& runs);

}  // namespace stashscope::app
