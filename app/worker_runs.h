#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/run/measurement/run_counts.h"
#include "core/run/step/runner.h"
#include "core/study/measured/measure.h"

namespace stashscope::app {

/// Called with the index of a run before it starts; returns what sees its events.
using BeforeRun = std::function<TraceSink(int)>;

/// What runs of the step without plans measured, or why there is no room for it.
struct BaselineRun {
  std::optional<Measurement> measurement;
  std::string no_room;
};

/// Whoever wants no events.
TraceSink without_events(int index);

/// Runs a variant as often as asked, always with the same data.
class RepeatedRuns {
 public:
  /// Refers to all but the counts.
  RepeatedRuns(const Study& study, const Runner& runner, const NamedTensors& inputs,
               const RunCounts& counts)
      : study_(study), runner_(runner), inputs_(inputs), counts_(counts) {}

  /// The outputs of the last run, and the measurement of all that count. Where the device has no
  /// room, the Error names the variant and says what would fit.
  RunResult run_current(const BeforeRun& before_run) const;

  /// Where the device has no room for the step without plans, which is what plans are for, that is
  /// said instead.
  BaselineRun run_baseline(const BeforeRun& before_run) const;

  const RunCounts& counts() const { return counts_; }

 private:
  RunResult run(const Variant& variant, const BeforeRun& before_run) const;

  const Study& study_;
  const Runner& runner_;
  const NamedTensors& inputs_;
  RunCounts counts_;
};

/// Both variants.
StudyMeasurements measured_both(const RepeatedRuns& runs);

/// For another program: the same, every event on standard output.
void stream_variants(const Study& study, const RepeatedRuns& runs);

}  // namespace stashscope::app
