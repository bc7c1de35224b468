// The worker: runs the step of a model or session, compares it with expected tensors, or streams
// its trace.

#include <iostream>
#include <optional>

#include "app/compare.h"
#include "app/options.h"
#include "app/outputs.h"
#include "app/process_start.h"
#include "app/reader_watch.h"
#include "app/run_data.h"
#include "app/run_options.h"
#include "app/run_summary.h"
#include "app/worker_runs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/planner/device_profile.h"
#include "core/run/devices/devices.h"
#include "core/run/step/available_memory.h"
#include "core/run/step/given_inputs.h"
#include "core/study/files/loaded_model.h"
#include "core/study/files/step_bundle.h"
#include "core/study/measured/measure.h"
#include "core/study/measured/measured_profile.h"
#include "core/study/measured/measurement_file.h"

namespace stashscope::app {
namespace {

/// The file for the trace of a run, if a path is given. Throws an input Error if the file cannot be
/// written.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path) {
    if (!path.empty()) file_.emplace(path);
  }

  TraceSink sink() {
    if (!file_) return {};
    return [this](const TraceEvent& event) { file_->write(format_event(event) + "\n"); };
  }

  void finish() {
    if (file_) file_->finish();
  }

 private:
  std::optional<FileReplacement> file_;
};

void write_profile(const Study& study, const Measurement& measured, const std::string& file) {
  const DeviceProfile base = profile_in_force(study.choices.times);
  const std::vector<DeviceInfo> devices = list_devices();
  const DeviceInfo* const device =
      device_meant(devices, choice_text(study.choices.device, no_device));
  const DeviceProfile profile = measured_profile(study, *study.current, measured, base,
                                                 device == nullptr ? DeviceInfo() : *device);
  save_profile(profile, file);
  const std::vector<std::string> kept = figures_from_base(profile, base);
  if (kept.empty()) return;
  print_warnings("stashscope-run",
                 {"this step cannot measure some figures of the profile; they are taken from " +
                  printable(base.name) + ": " + join(kept, ", ")});
}

/// Writes a measurement of both variants for the window, a profile for the planner, or both. A
/// profile needs only a run of the current variant.
void write_measured(const Study& study, const RepeatedRuns& runs, const RunOptions& options) {
  StudyMeasurements measured;
  if (options.measurement.empty()) {
    measured.current = runs.run_current(without_events).measurement;
  } else {
    measured = measured_both(runs);
    save_measurements(study, measured, options.measurement);
  }
  if (!options.profile.empty()) write_profile(study, measured.current, options.profile);
  print_warnings("stashscope-run", remarks_on(study, measured));
  print_memory(study, measured.current);
  print_times(measured.current);
}

/// The study with the data-dependent sizes of a run, so that prediction and measurement are of the
/// same step.
std::shared_ptr<const Study> study_of_run(LoadedModel& loaded, std::shared_ptr<const Study> study,
                                          const RunResult& result) {
  const SizeChoices chosen = loaded.session.choices.dims;
  std::vector<std::string> notes;
  for (const auto& [name, size] : sizes_unlike_predicted(*study, result.measurement)) {
    loaded.session.choices.dims[name] = size;
    notes.push_back("dimension '" + printable(name) + "' was " + std::to_string(size) +
                    " in this run");
  }
  print_first_warnings("stashscope-run", notes, "--write-measurement FILE");
  if (notes.empty()) return study;
  try {
    return study_of(loaded);
  } catch (const Error& error) {
    // A run may have sizes of 0, but symbols of the model stand for sizes of at least 1.
    print_warnings(
        "stashscope-run",
        {std::string("the prediction cannot use the sizes of this run: ") + error.what()});
    loaded.session.choices.dims = chosen;
    return study;
  }
}

/// The outputs of the model that a pass, such as `keep_loss_only`, removed.
std::set<std::string> outputs_given_up(const Graph& model, const Graph& passed) {
  std::set<std::string> names;
  for (const ValueId id : model.data().outputs) names.insert(model.value(id).name);
  for (const ValueId id : passed.data().outputs) names.erase(passed.value(id).name);
  return names;
}

bool matches_expected(const Study& study, const LoadedModel& loaded, const RunResult& result,
                      const NamedTensors& inputs, const RunOptions& options) {
  const GraphChoices& graph = study.choices.graph;
  const bool is_mixed = graph.precision.has_value() || graph.gradient_type.has_value();
  const Results results{result.outputs, study.graph(), inputs, is_mixed,
                        outputs_given_up(*loaded.model, study.graph())};
  return print_comparison(compare_outputs(results, options.compare, options.tolerance));
}

/// Runs the current variant, prints and writes the requested results, and compares them with the
/// expected tensors, if there are any. Returns the exit code.
int run_current(LoadedModel& loaded, const std::shared_ptr<const Study>& study,
                const RepeatedRuns& runs, const NamedTensors& inputs, const RunOptions& options) {
  TraceFile trace(options.trace);
  const int last = runs.counts().all() - 1;
  const RunResult result =
      runs.run_current([&](int index) { return index == last ? trace.sink() : TraceSink(); });
  trace.finish();
  print_warnings("stashscope-run", result.measurement.remarks);
  const auto sized = study_of_run(loaded, study, result);
  print_memory(*sized, result.measurement);
  print_times(result.measurement);
  if (!options.summary.empty()) write_summary(*sized, result.measurement, options.summary);
  if (options.digest) print_digests(result.outputs);
  return !options.compares() || matches_expected(*study, loaded, result, inputs, options) ? 0 : 1;
}

/// The predicted bytes of this machine's memory (not of a GPU's) that the current variant takes:
/// the offloaded tensors, and all others if the step runs on the CPU.
std::int64_t machine_bytes(const Study& study) {
  const Variant& current = *study.current;
  const bool runs_here = study.choices.device == "cpu";
  return current.host_bytes + (runs_here ? current.timeline.peak_bytes : 0);
}

int run_once(LoadedModel& loaded, const RunOptions& options) {
  const RunSettings settings = run_settings(options);
  NamedTensors inputs;
  if (!options.inputs.empty()) inputs = load_tensors(options.inputs, "input_");
  if (!loaded.session.choices.device) loaded.session.choices.device = "cpu";
  check_choices(options, loaded.session.choices);
  const auto study = study_with(loaded, inputs);
  check_all_tensors(study->graph());
  print_warnings("stashscope-run", loaded.warnings);
  print_first_warnings("stashscope-run", study->warnings, "stashscope --batch --format json");
  const auto runner = make_runner(*study->choices.device, settings);
  runner->check(study->graph());
  const std::int64_t bytes = machine_bytes(*study);
  if (options.inputs.empty()) {
    inputs = random_inputs(*study, bytes, options.seed);
  } else {
    require_memory(bytes);
  }
  const RepeatedRuns runs(*study, *runner, inputs, run_counts(options, study->choices));
  int code = 0;
  if (options.stream) {
    stream_variants(*study, runs);
  } else if (options.measures()) {
    write_measured(*study, runs, options);
  } else {
    code = run_current(loaded, study, runs, inputs, options);
  }
  flush_output();
  return code;
}

int run(int argc, char** argv) {
  CLI::App program("Runs a training step and measures its memory.", "stashscope-run");
  program.set_version_flag("--version", "stashscope-run " STASHSCOPE_VERSION);
  AnalysisOptions analysis;
  add_analysis_options(program, analysis);
  RunOptions options;
  add_run_options(program, options);
  program.footer(
      "If the file is -, the worker reads a session with its model from standard input.\n"
      "Exit codes: 0 done, 1 unusable input or results beyond the tolerance, 2 wrong usage, 3 the "
      "run failed.");
  if (const auto code = parse_command_line(program, argc, argv)) return *code;
  return guarded("stashscope-run", [&] {
    std::optional<ReceivedStep> received;
    if (analysis.file == bundled_step) {
      end_with_reader();
      received.emplace(std::cin);
      analysis.file = received->session().string();
    }
    LoadedModel loaded = load_model_or_session(analysis);
    check_outputs(options, files_read(analysis, loaded));
    return run_once(loaded, options);
  });
}

}  // namespace
}  // namespace stashscope::app

int main(int argc, char** argv) {
  stashscope::app::prepare_process();
  return stashscope::app::run(argc, argv);
}
