#include "app/worker_runs.h"

#include <iostream>

#include "app/memory_advice.h"
#include "app/options.h"
#include "core/base/text.h"
#include "core/process/run_child.h"
#include "core/run/measurement/worker_lines.h"
#include "core/run/step/available_memory.h"
#include "core/study/step/step_export.h"
#include "core/study/step/step_identity.h"

namespace stashscope::app {

namespace {

/// Prints an event. Throws OutputClosed if the reader closed standard output, and a run Error if
/// writing fails for another reason.
void print_event(const TraceEvent& event) {
  std::cout << format_event(event) << "\n";
  if (std::cout) return;
  flush_output();
  throw OutputClosed();
}

/// The name of the current variant in messages.
std::string name_of_current(const Study& study) {
  const StepIdentity step = identity_of(study);
  return step.baseline == step.current ? "the step without plans" : "the step with its plans";
}

/// Prints what follows the runs of a variant: its data-dependent sizes, the median time of a step,
/// and remarks.
void print_ending(const Measurement& measured) {
  for (const auto& [name, size] : measured.data_dependent) {
    std::cout << worker_size_line << size << " " << name << "\n";
  }
  std::cout << worker_time_line << format_number(measured.step_seconds) << "\n";
  for (const std::string& each : measured.remarks) {
    std::cout << worker_remark_line << printable(each, each.size()) << "\n";
  }
}

}  // namespace

TraceSink without_events(int) { return {}; }

RunResult RepeatedRuns::run(const Variant& variant, const BeforeRun& before_run) const {
  const RunPlan plan = run_plan(study_, variant);
  std::vector<Measurement> repeats;
  RunResult last;
  const auto loaded = runner_.load(plan, inputs_);
  for (int i = 0; i < counts_.all(); ++i) {
    last = {};  // frees the outputs of the previous run
    const TraceSink sink = before_run(i);
    last = loaded->run(sink, Progress());
    if (i >= counts_.warm_up) repeats.push_back(std::move(last.measurement));
  }
  last.measurement = combined(std::move(repeats));
  return last;
}

RunResult RepeatedRuns::run_current(const BeforeRun& before_run) const {
  try {
    return run(*study_.current, before_run);
  } catch (const OutOfMemory& error) {
    throw Error(error.kind(), name_of_current(study_) + ": " + error.where(), error.reason(),
                memory_advice(study_, error.available_bytes()));
  }
}

BaselineRun RepeatedRuns::run_baseline(const BeforeRun& before_run) const {
  try {
    if (study_.choices.device == "cpu") require_memory(study_.baseline->timeline.peak_bytes);
    return {run(*study_.baseline, before_run).measurement, {}};
  } catch (const OutOfMemory& error) {
    return {std::nullopt, Error(error.kind(), error.where(), error.reason()).what()};
  }
}

StudyMeasurements measured_both(const RepeatedRuns& runs) {
  const BaselineRun baseline = runs.run_baseline(without_events);
  Measurement current = runs.run_current(without_events).measurement;
  if (!baseline.measurement) return without_baseline(std::move(current), baseline.no_room);
  return {baseline.measurement, std::move(current)};
}

void stream_variants(const Study& study, const RepeatedRuns& runs) {
  const auto before_run = [&](int index) -> TraceSink {
    std::cout << worker_run_line << (index < runs.counts().warm_up ? "warm-up" : "run") << "\n";
    return print_event;
  };
  std::cout << worker_step_line << to_string(identity_of(study)) << "\n";
  std::cout << worker_variant_line << "baseline\n";
  const BaselineRun baseline = runs.run_baseline(before_run);
  if (baseline.measurement) {
    print_ending(*baseline.measurement);
  } else {
    std::cout << worker_no_room_line << printable(baseline.no_room, baseline.no_room.size())
              << "\n";
  }
  std::cout << worker_variant_line << "current\n";
  print_ending(runs.run_current(before_run).measurement);
  std::cout << worker_done_line << "\n";
  flush_output();
}

}  // namespace stashscope::app
