#include "app/worker_runs.h"

#include <iostream>

#include "app/options.h"
#include "core/base/text.h"
#include "core/report/budget_report.h"
#include "core/run/worker.h"
#include "core/study/measure.h"
#include "core/study/step_identity.h"

namespace stashscope::app {

namespace {

/// Whoever waits for an error message does not wait for more than this.
constexpr double advice_seconds = 10;

std::string plan_that_fits(const Study& study, std::int64_t budget_bytes) {
  PlanArchive archive;
  const BudgetAnswer answer = plan_for_budget(
      study, {budget_bytes, Grain::cluster, {.seconds = advice_seconds}}, archive, Progress());
  const std::string peak = format_bytes(answer.best.peak_bytes);
  if (!answer.feasible) {
    return "no plan was found that fits; the lowest peak found is " + peak +
           ": take smaller dimensions, or look further with stashscope --batch --budget " +
           std::to_string(budget_bytes);
  }
  return "a plan with a peak of " + peak + " fits: " + plan_text(answer.best.choices);
}

/// A reader that has gone away ends the run, and so does a full disk.
void print_event(const TraceEvent& event) {
  std::cout << format_event(event) << "\n";
  if (std::cout) return;
  flush_output();
  fail_run("standard output", "nobody reads it any more");
}

/// What only all runs of a variant together tell.
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

RunResult RepeatedRuns::run(const Variant& variant, const BeforeRun& before_run) const {
  const RunPlan plan = run_plan(study_, variant);
  std::vector<Measurement> repeats;
  RunResult last;
  try {
    const auto loaded = runner_.load(plan, inputs_);
    for (int i = 0; i < counts_.all(); ++i) {
      last = {};  // its outputs take room beside the next run
      const TraceSink sink = before_run(i);
      last = loaded->run(sink, Progress());
      if (i >= counts_.warm_up) repeats.push_back(std::move(last.measurement));
    }
  } catch (const OutOfMemory& error) {
    throw Error(ErrorKind::run, error.where(), error.reason(),
                plan_that_fits(study_, error.available_bytes()));
  }
  last.measurement = combined(std::move(repeats));
  return last;
}

void stream_variants(const Study& study, const RepeatedRuns& runs, const RunCounts& counts) {
  const auto before_run = [&](int index) -> TraceSink {
    std::cout << worker_run_line << (index < counts.warm_up ? "warm-up" : "run") << "\n";
    return print_event;
  };
  std::cout << worker_step_line << to_string(identity_of(study)) << "\n";
  for (const bool baseline : {true, false}) {
    std::cout << worker_variant_line << (baseline ? "baseline" : "current") << "\n";
    print_ending(runs.run(baseline ? *study.baseline : *study.current, before_run).measurement);
  }
  std::cout << worker_done_line << "\n";
  flush_output();
}

}  // namespace stashscope::app
