#include "app/run_options.h"

#include "app/outputs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace stashscope::app {

namespace {

/// Adds the tensor files of a folder to the guard one by one, because the command line names only
/// the folder.
void add_tensor_files(const std::string& folder, OverwriteGuard& files) {
  std::error_code unreadable;
  for (const std::filesystem::path& path : paths_in(folder, unreadable)) {
    if (path.extension() == ".pb") files.add(path, "the given data");
  }
}

void add_data_options(CLI::App& program, RunOptions& options, CLI::Option* stream) {
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
                  "largest allowed error, relative to the tensor's largest value (default 1e-3)")
      ->check(finite_and_not_negative, "NUMBER")
      ->excludes(stream);
  program.add_option("--seed", options.seed, "seed of random data (default 1)")
      ->check(whole_and_not_negative, "NUMBER");
  program
      .add_flag("--digest", options.digest,
                "print a digest of the bits of every graph output, to compare runs")
      ->excludes(stream);
}

void add_device_options(CLI::App& program, RunOptions& options) {
  program
      .add_option("--memory-limit", options.memory_limit,
                  "act like a GPU with this much memory: 12GiB, 900MB, ...")
      ->type_name("SIZE");
  program.add_flag("--tf32", options.rounds_to_tf32,
                   "on a GPU, float32 matrix products and convolutions may round their operands "
                   "to tf32");
  CLI::Option* const update =
      program.add_flag("--update", options.updates,
                       "on a GPU, update the parameters after each run with the chosen "
                       "--optimizer");
  program
      .add_option("--learning-rate", options.learning_rate,
                  "learning rate of --update (default 1e-3)")
      ->check(finite_and_not_negative, "NUMBER")
      ->needs(update);
}

void add_repeat_options(CLI::App& program, RunOptions& options) {
  program
      .add_option(
          "--warm-up", options.warm_up,
          "warm-up runs before the counted runs (default: 1 on a GPU or if times are reported, "
          "else 0; 0 with --update)")
      ->check(CLI::Range(0, most_runs));
  program
      .add_option("--repeat", options.repeats,
                  "counted runs, all with the same data (default 1); memory comes from the last "
                  "run, times are medians")
      ->check(CLI::Range(1, most_runs));
}

void add_measuring_options(CLI::App& program, RunOptions& options, CLI::Option* stream) {
  CLI::Option* const trace = program
                                 .add_option("--trace", options.trace,
                                             "write a trace of every allocation, release and node")
                                 ->type_name("FILE")
                                 ->excludes(stream);
  CLI::Option* const measurement =
      program
          .add_option("--write-measurement", options.measurement,
                      "run the step without and with its plans, and write the measurements to a "
                      "file that the window imports")
          ->type_name("FILE")
          ->excludes(stream)
          ->excludes(trace)
          ->excludes("--compare")
          ->excludes("--digest");
  CLI::Option* const profile =
      program
          .add_option("--write-profile", options.profile,
                      "write the measured performance of the device to a file for --profile")
          ->type_name("FILE")
          ->excludes(stream)
          ->excludes(trace)
          ->excludes("--compare")
          ->excludes("--digest");
  program.add_option("--json", options.summary, "write the measured and predicted figures as JSON")
      ->type_name("FILE")
      ->excludes(stream)
      ->excludes(measurement)
      ->excludes(profile);
  program
      .add_flag("--no-trace", options.untraced,
                "on a GPU, measure only the whole step, without the overhead of a trace")
      ->excludes(stream)
      ->excludes(trace)
      ->excludes(measurement)
      ->excludes(profile);
}

}  // namespace

void add_run_options(CLI::App& program, RunOptions& options) {
  CLI::Option* const stream = program.add_flag(
      "--stream", options.stream, "print the trace of both variants, for other programs");
  add_data_options(program, options, stream);
  add_repeat_options(program, options);
  add_device_options(program, options);
  add_measuring_options(program, options, stream);
}

RunSettings run_settings(const RunOptions& options) {
  RunSettings settings;
  settings.wants_outputs = options.compares() || options.digest;
  settings.traces = !options.untraced;
  settings.rounds_to_tf32 = options.rounds_to_tf32;
  settings.updates = options.updates;
  settings.learning_rate = options.learning_rate;
  if (!options.memory_limit.empty()) {
    settings.memory_limit = memory_in("--memory-limit", options.memory_limit);
  }
  return settings;
}

RunCounts run_counts(const RunOptions& options, const Choices& choices) {
  const bool is_timed = choices.device != "cpu" || options.tells_times();
  const int as_needed = is_timed && !options.updates ? 1 : 0;
  return {options.warm_up.value_or(as_needed), options.repeats};
}

void check_choices(const RunOptions& options, const Choices& choices) {
  if (!options.updates || find_optimizer(choices.update.optimizer).updates) return;
  fail_usage("--update", "needs an optimizer, but no optimizer is chosen", "add --optimizer NAME");
}

void check_outputs(const RunOptions& options, OverwriteGuard files) {
  for (const std::string& folder : {options.inputs, options.compare}) {
    if (!folder.empty()) add_tensor_files(folder, files);
  }
  const auto claim = [&](const char* option, const std::string& file, const char* role) {
    if (!file.empty()) files.claim(std::string(option) + " " + printable(file), file, role);
  };
  claim("--trace", options.trace, "the trace");
  claim("--write-measurement", options.measurement, "the measurement");
  claim("--write-profile", options.profile, "the profile");
  claim("--json", options.summary, "the summary");
  require_writable({options.trace, options.measurement, options.profile, options.summary});
}

}  // namespace stashscope::app
