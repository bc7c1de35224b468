// The worker: executes a model or session, compares with expected tensors, or streams its trace.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <iostream>
#include <numeric>
#include <optional>

#include "app/compare.h"
#include "app/options.h"
#include "app/outputs.h"
#include "app/reader_watch.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/run/available_memory.h"
#include "core/run/given_inputs.h"
#include "core/run/random_inputs.h"
#include "core/run/worker.h"
#include "core/study/measure.h"
#include "core/study/measurement_file.h"
#include "core/study/step_bundle.h"
#include "core/study/step_identity.h"
#include "core/study/study.h"

namespace stashscope::app {
namespace {

struct RunOptions {
  std::string inputs;
  std::string compare;
  double tolerance = 1e-3;
  std::uint64_t seed = 1;
  std::string trace;
  std::string measurement;
  RunCounts counts;
  bool stream = false;
};

/// Dimensions as the given inputs have them.
class InputDims {
 public:
  InputDims(const Graph& model, const NamedTensors& inputs) : model_(model) {
    for (const ValueId id : model.data().inputs) {
      const Value& value = model.value(id);
      const auto given = inputs.find(value.name);
      if (given == inputs.end()) continue;
      check_given(model, value, given->second);
      if (value.type.shape) take(value, given->second.dims());
    }
  }

  const std::map<std::string, std::int64_t>& dims() const { return dims_; }

  /// Every tensor with its dims.
  std::string text() const { return join(tensors_, ", "); }

 private:
  void take(const Value& value, const std::vector<std::int64_t>& dims) {
    std::vector<std::string> sizes;
    for (const std::int64_t size : dims) sizes.push_back(std::to_string(size));
    tensors_.push_back(describe(value) + " is [" + join(sizes, ", ") + "]");
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const Expr& dim = (*value.type.shape)[i];
      const std::vector<SymbolId> used = dim.symbols();
      if (used.size() == 1 && dim == Expr::symbol(used[0])) set(used[0], dims[i]);
    }
  }

  void set(SymbolId symbol, std::int64_t size) {
    const std::string& name = model_.symbols().name(symbol);
    const auto [known, is_new] = dims_.try_emplace(name, size);
    if (is_new || known->second == size) return;
    fail_input("the tensors given", "do not fit together: " + text(),
               "dimension '" + printable(name) + "' cannot be both " +
                   std::to_string(known->second) + " and " + std::to_string(size));
  }

  const Graph& model_;
  std::map<std::string, std::int64_t> dims_;
  std::vector<std::string> tensors_;
};

/// The study with the dimensions of given inputs. Where it is they that do not fit, and not the
/// choices, this is a fault of the input.
std::shared_ptr<const Study> study_with(Subject& subject, const NamedTensors& inputs) {
  const InputDims given(*subject.model, inputs);
  const Choices chosen = subject.session.choices;
  for (const auto& [name, size] : given.dims()) subject.session.choices.dims[name] = size;
  try {
    return study_of(subject);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage || given.dims().empty()) throw;
    subject.session.choices = chosen;
    study_of(subject);
    fail_input("the tensors given", "do not fit together: " + given.text(), error.what());
  }
}

/// Where the trace of a run is written; without a path nowhere. A file that cannot be written is an
/// input Error.
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

/// Files of tensors are read by their folder's name only.
void add_tensor_files(const std::string& folder, TakenFiles& files) {
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
    if (entry.path().extension() == ".pb") files.add(entry.path(), "the data given");
  }
}

void check_outputs(const RunOptions& options, TakenFiles files) {
  if (options.trace.empty() && options.measurement.empty()) return;
  for (const std::string& folder : {options.inputs, options.compare}) {
    if (!folder.empty()) add_tensor_files(folder, files);
  }
  if (!options.trace.empty()) {
    files.claim("--trace " + printable(options.trace), options.trace, "the trace");
  }
  if (!options.measurement.empty()) {
    files.claim("--write-measurement " + printable(options.measurement), options.measurement,
                "the measurement");
  }
}

/// Bytes of the data that has to be made up; the step takes a copy.
std::int64_t random_bytes(const Study& study) {
  const GraphData& graph = study.graph().data();
  std::int64_t bytes = 0;
  for (const ValueId id : graph.inputs) bytes += study.sizes->bytes[id];
  for (const Initializer& each : graph.initializers) {
    if (!each.tensor.has_data()) bytes += study.sizes->bytes[each.value];
  }
  return bytes;
}

/// Random data for a step of `peak_bytes`. Throws a run Error before anything is made when the
/// memory cannot hold it.
NamedTensors random_inputs(const Study& study, std::int64_t peak_bytes, std::uint64_t seed) {
  require_memory(peak_bytes + random_bytes(study));
  return with_random_inputs(study.graph(), study.sizes->dims.bindings, {}, seed);
}

/// Runs a variant as often as asked, always with the same data.
class RepeatedRuns {
 public:
  /// Refers to its arguments.
  RepeatedRuns(const Study& study, const Runner& runner, const NamedTensors& inputs,
               const RunCounts& counts)
      : study_(study), runner_(runner), inputs_(inputs), counts_(counts) {}

  /// @param before_run called with the index of a run; returns what sees its events
  RunResult run(const Variant& variant, const std::function<TraceSink(int)>& before_run) const {
    const RunPlan plan = run_plan(study_, variant);
    std::vector<Measurement> repeats;
    NamedTensors outputs;
    for (int i = 0; i < counts_.all(); ++i) {
      outputs.clear();  // they take room beside the next run
      const TraceSink sink = before_run(i);
      RunResult result = runner_.run(plan, inputs_, sink, Progress());
      outputs = std::move(result.outputs);
      if (i >= counts_.warm_up) repeats.push_back(std::move(result.measurement));
    }
    return {std::move(outputs), combined(std::move(repeats))};
  }

 private:
  const Study& study_;
  const Runner& runner_;
  const NamedTensors& inputs_;
  const RunCounts& counts_;
};

std::int64_t largest_peak(const Study& study) {
  return std::max(study.baseline->timeline.peak_bytes, study.current->timeline.peak_bytes);
}

/// A reader that has gone away ends the run, and so does a full disk.
void print_event(const TraceEvent& event) {
  std::cout << format_event(event) << "\n";
  if (std::cout) return;
  flush_output();
  fail_run("standard output", "nobody reads it any more");
}

/// For another program: both variants with random data, every event on standard output.
int stream_variants(const Study& study, const RunOptions& options) {
  const auto runner = make_runner(study.choices.device);
  runner->check(study.graph());
  const NamedTensors inputs = random_inputs(study, largest_peak(study), options.seed);
  const RepeatedRuns runs(study, *runner, inputs, options.counts);
  const auto before_run = [&](int index) -> TraceSink {
    std::cout << worker_run_line << (index < options.counts.warm_up ? "warm-up" : "run") << "\n";
    return print_event;
  };
  std::cout << worker_step_line << to_string(identity_of(study)) << "\n";
  for (const bool baseline : {true, false}) {
    std::cout << worker_variant_line << (baseline ? "baseline" : "current") << "\n";
    const RunResult result = runs.run(baseline ? *study.baseline : *study.current, before_run);
    for (const auto& [name, size] : result.measurement.data_dependent) {
      std::cout << worker_size_line << size << " " << name << "\n";
    }
  }
  std::cout << worker_done_line << "\n";
  flush_output();
  return 0;
}

void print_memory(const Study& study, const Measurement& measured) {
  const std::int64_t error = largest_error(*study.current, measured);
  std::cout << "peak: " << format_bytes(measured.peak_bytes) << " measured, "
            << format_bytes(study.current->timeline.peak_bytes) << " predicted; largest difference "
            << with_thousands(error) << " B at any of " << measured.live_bytes.size() << " steps\n";
}

/// Nothing of a single run, whose time says little.
void print_repeats(const Measurement& measured) {
  if (measured.repeats == 1) return;
  const auto& times = measured.node_seconds;
  std::cout << "time: " << format_seconds(std::accumulate(times.begin(), times.end(), 0.0))
            << ", the sum of the nodes' medians over " << measured.repeats
            << " runs; largest difference between them: "
            << with_thousands(measured.repeat_difference) << " B\n";
}

/// Both variants, into a file that the window opens.
int write_measurement(const Study& study, const Runner& runner, const NamedTensors& inputs,
                      const RunOptions& options) {
  const RepeatedRuns runs(study, runner, inputs, options.counts);
  const auto no_sink = [](int) { return TraceSink(); };
  StudyMeasurements measured;
  measured.baseline = runs.run(*study.baseline, no_sink).measurement;
  measured.current = runs.run(*study.current, no_sink).measurement;
  save_measurements(study, measured, options.measurement);
  print_memory(study, measured.current);
  print_repeats(measured.current);
  flush_output();
  return 0;
}

/// The study with the sizes that only the data of a run told, so that its memory is compared with
/// the same step.
std::shared_ptr<const Study> study_of_run(Subject& subject, std::shared_ptr<const Study> study,
                                          const RunResult& result) {
  bool differs = false;
  for (const auto& [name, size] : sizes_unlike_predicted(*study, result.measurement)) {
    subject.session.choices.dims[name] = size;
    print_warnings("stashscope-run", {"dimension '" + printable(name) + "' was " +
                                      std::to_string(size) + " in this run"});
    differs = true;
  }
  return differs ? study_of(subject) : std::move(study);
}

/// By `keep_loss_only`.
std::set<std::string> outputs_given_up(const Graph& model, const Graph& passed) {
  std::set<std::string> names;
  for (const ValueId id : model.data().outputs) names.insert(model.value(id).name);
  for (const ValueId id : passed.data().outputs) names.erase(passed.value(id).name);
  return names;
}

int run_once(Subject& subject, const RunOptions& options) {
  NamedTensors inputs;
  if (!options.inputs.empty()) inputs = load_tensors(options.inputs, "input_");
  if (subject.session.choices.device == "none") subject.session.choices.device = "cpu";
  const auto study = study_with(subject, inputs);
  check_all_tensors(study->graph());
  print_warnings("stashscope-run", subject.warnings);
  print_warnings("stashscope-run", study->warnings);
  if (options.stream) return stream_variants(*study, options);
  const auto runner = make_runner(study->choices.device);
  runner->check(study->graph());
  const std::int64_t peak_bytes =
      options.measurement.empty() ? study->current->timeline.peak_bytes : largest_peak(*study);
  if (options.inputs.empty()) {
    inputs = random_inputs(*study, peak_bytes, options.seed);
  } else {
    require_memory(peak_bytes);
  }
  if (!options.measurement.empty()) return write_measurement(*study, *runner, inputs, options);
  TraceFile trace(options.trace);
  const int last = options.counts.all() - 1;
  const RunResult result =
      RepeatedRuns(*study, *runner, inputs, options.counts).run(*study->current, [&](int index) {
        return index == last ? trace.sink() : TraceSink();
      });
  trace.finish();
  print_memory(*study_of_run(subject, study, result), result.measurement);
  print_repeats(result.measurement);
  bool all_pass = true;
  if (!options.compare.empty()) {
    const bool is_mixed = !study->choices.precision.empty();
    const Results results{result.outputs, study->graph(), inputs, is_mixed,
                          outputs_given_up(*subject.model, study->graph())};
    all_pass = print_comparison(compare_outputs(results, options.compare, options.tolerance));
  }
  flush_output();
  return all_pass ? 0 : 1;
}

/// What is wrong with a tolerance; empty when nothing.
std::string finite_and_not_negative(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const bool fits =
      parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(number) && number >= 0;
  return fits ? "" : "'" + text + "' is no finite number of 0 or more";
}

void add_run_options(CLI::App& program, RunOptions& options) {
  CLI::Option* const stream = program.add_flag(
      "--stream", options.stream, "print the trace of both variants, for other programs");
  program
      .add_option("--inputs", options.inputs,
                  "folder with input_*.pb, matched by tensor name (default: random data)")
      ->type_name("DIR")
      ->excludes(stream);
  program
      .add_option(
          "--compare", options.compare,
          "folder with output_*.pb and grad_*.pb to compare with; a gradient is named after "
          "its parameter")
      ->type_name("DIR")
      ->excludes(stream);
  program
      .add_option("--tolerance", options.tolerance,
                  "largest error allowed, relative to the tensor's largest value (default 1e-3)")
      ->check(finite_and_not_negative, "NUMBER")
      ->excludes(stream);
  program.add_option("--seed", options.seed, "of random data (default 1)")
      ->check(CLI::NonNegativeNumber);
  CLI::Option* const trace =
      program.add_option("--trace", options.trace, "write every allocation, release and node")
          ->type_name("FILE")
          ->excludes(stream);
  program
      .add_option("--warm-up", options.counts.warm_up, "runs before those that count (default 0)")
      ->check(CLI::Range(0, most_runs));
  program
      .add_option("--repeat", options.counts.repeats,
                  "runs that count, all with the same data (default 1): memory is that of the "
                  "last one, node times are medians")
      ->check(CLI::Range(1, most_runs));
  program
      .add_option("--write-measurement", options.measurement,
                  "run the step without and with its plans, and write what was measured into a "
                  "file that the window imports")
      ->type_name("FILE")
      ->excludes(stream)
      ->excludes(trace)
      ->excludes("--compare");
}

int run(int argc, char** argv) {
  CLI::App program("Runs a training step and measures its memory.", "stashscope-run");
  program.set_version_flag("--version", "stashscope-run " STASHSCOPE_VERSION);
  AnalysisOptions analysis;
  add_analysis_options(program, analysis);
  RunOptions options;
  add_run_options(program, options);
  program.footer(
      "For FILE, - takes a session with its model from another program over standard input.\n"
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
    Subject subject = load_subject(analysis);
    check_outputs(options, files_read(analysis, subject));
    return run_once(subject, options);
  });
}

}  // namespace
}  // namespace stashscope::app

int main(int argc, char** argv) { return stashscope::app::run(argc, argv); }
