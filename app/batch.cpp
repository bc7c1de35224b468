#include "app/batch.h"

#include <algorithm>
#include <iostream>

#include "app/exit_codes.h"
#include "app/outputs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/process/run_child.h"
#include "core/report/graph_picture.h"
#include "core/report/operator_summary.h"
#include "core/report/page/page.h"
#include "core/report/page/page_moves.h"
#include "core/report/report.h"
#include "core/study/facts/exported_config.h"
#include "core/study/facts/pytorch_plan.h"
#include "core/study/files/loaded_model.h"
#include "core/study/files/modified_model.h"
#include "core/study/measured/measure.h"
#include "core/study/reserved/reserved_memory.h"
#include "core/study/reserved/step_advice.h"

namespace stashscope::app {

namespace {

std::string report_text(const ReportInput& input, const std::string& format) {
  if (format == "json") return json_report(input);
  if (format == "html") return html_report(input);
  if (format == "summary") return operator_summary(input);
  return text_report(input);
}

void write_graph_svg(const Study& study, const std::string& title, const std::string& path) {
  std::vector<std::string> warnings;
  write_file_atomically(path, graph_svg(study, title, running_program(), warnings));
  print_warnings("stashscope", warnings);
}

/// Writes the model, the environment and the picture that are asked for.
void write_files(const BatchOptions& options, const Study& study, const std::string& model) {
  if (!options.save_model.empty()) save_modified_model(study, options.save_model);
  if (!options.export_env.empty()) {
    const ExportedEnvironment exported = exported_environment(study, options.export_env);
    print_warnings("stashscope", exported.left_out);
    write_environment(exported, options.export_env);
  }
  if (!options.svg.empty()) write_graph_svg(study, picture_title(study, model), options.svg);
}

/// Whether a report is written. With a check, the report is written only to a file, because
/// standard output gets the result of the check.
bool has_report(const BatchOptions& options) {
  return options.check.limits.empty() || !options.out.empty();
}

/// Throws a usage Error if the format cannot show an output that is asked for.
void check_printed_format(const BatchOptions& options) {
  const std::string& format = options.format;
  if (format == "text" || format == "json") return;
  if (options.allocator.advises) {
    fail_usage("--format " + format, "does not show the advice of --advise-allocator",
               "choose text or json");
  }
  if (format == "summary" && options.has_arena) {
    fail_usage("--format summary", "does not show the arena of --arena",
               "choose text, json or html");
  }
  if (format == "summary" && !options.allocator.others.empty()) {
    fail_usage("--format summary", "does not show what --other-memory changes",
               "choose text, json or html");
  }
  if (has_report(options)) return;
  fail_usage("--format " + format, "is no format of a check",
             "choose text or json, or write the report with --out FILE");
}

/// Throws a usage Error if an output is asked for that only a report shows, and a check takes the
/// place of the report.
void check_shown(const BatchOptions& options) {
  if (has_report(options)) return;
  for (const auto& [option, is_given] : {std::pair<const char*, bool>("--arena", options.has_arena),
                                         {"--advise-allocator", options.allocator.advises}}) {
    if (!is_given) continue;
    fail_usage(option, "is not shown by a check", "write the report with --out FILE");
  }
}

/// Throws a usage Error if a pool of CUDA is named together with an output that knows only
/// PyTorch's allocator.
void check_pool_outputs(const BatchOptions& options) {
  for (const auto& [option, path] :
       {std::pair<const char*, const std::string&>("--check", options.check.limits),
        {"--save-baseline", options.check.save_baseline},
        {"--save-session", options.save_session},
        {"--export-snapshot", options.exports.snapshot},
        {"--export-perfetto", options.exports.perfetto},
        {"--export-csv", options.exports.csv}}) {
    if (!path.empty()) refuse_pool(options.allocator, option);
  }
  if (options.allocator.advises) refuse_pool(options.allocator, "--advise-allocator");
}

/// Throws a usage Error if an output would overwrite an input or another output, and an input Error
/// if an output cannot be written.
void check_outputs(const BatchOptions& options, const std::optional<Check>& check,
                   const Choices& choices, OverwriteGuard files) {
  const auto place = [](const char* option, const std::string& path) {
    return std::string(option) + " " + printable(path);
  };
  if (!options.save_session.empty()) {
    files.claim_session(place("--save-session", options.save_session), options.save_session);
  }
  if (!options.save_model.empty()) {
    files.claim_model(place("--save-model", options.save_model), options.save_model,
                      "the file of --save-model");
  }
  for (const auto& [option, path] :
       {std::pair<const char*, const std::string&>("--out", options.out),
        {"--export-env", options.export_env},
        {"--export-plan", options.export_plan},
        {"--svg", options.svg}}) {
    if (!path.empty()) files.claim(place(option, path), path, std::string("the file of ") + option);
  }
  claim_check_outputs(options.check, check, files);
  claim_exports(options.exports, files);
  std::string config;
  if (!options.export_env.empty() && rules_of(choices.plans.search.reference).reads_config_file) {
    config = config_file_beside(options.export_env);
    files.claim(place("--export-env", config), config, "the config file of --export-env");
  }
  require_writable({options.out, options.save_model, options.save_session, options.export_env,
                    options.export_plan, config, options.svg, options.check.markdown,
                    options.check.junit, options.check.save_baseline});
  require_writable(export_paths(options.exports));
}

/// The results for a report that are computed before the step is measured.
struct Findings {
  PlanningResults planned;
  std::optional<StepArenas> arenas;
};

/// The static arenas that the options ask for. If the options ask only for a file of an arena, only
/// the arena of the current variant is searched for.
std::optional<StepArenas> arenas_of(const Study& study, const BatchOptions& options,
                                    const SearchLimit& limit) {
  if (options.has_arena) return step_arenas(study, limit, Progress());
  if (options.exports.arena.empty()) return std::nullopt;
  return StepArenas{{}, found_arena(*study.current, limit, Progress())};
}

/// The input of a report, without suggested next moves and without measurements.
ReportInput report_input(const Study& study, const AnalysisOptions& analysis,
                         const BatchOptions& options, const Findings& found) {
  ReportInput input = stashscope::report_input(study, analysis.file);
  input.planned = found.planned;
  if (options.has_arena) input.arenas = found.arenas;
  if (options.lists_what_ifs) input.what_if_offers = what_if_offers(study);
  input.command = options.command;
  input.pool = pool_settings(options.allocator);
  input.others = other_memory(options.allocator);
  if (options.allocator.advises) {
    input.advice = allocator_advice(study, *study.current, allocator_settings(study.choices));
  }
  return input;
}

/// The input of a report without measurements. Next moves are included only for an HTML page,
/// because finding them takes time.
ReportInput report_with_moves(const Study& study, const AnalysisOptions& analysis,
                              const BatchOptions& options, const Findings& found) {
  ReportInput input = report_input(study, analysis, options, found);
  if (options.format == "html") add_moves(input);
  return input;
}

/// Measures the step in a worker. If the run fails, writes the requested report without
/// measurements, then throws.
StudyMeasurements measured_or_reported(const Study& study, const AnalysisOptions& analysis,
                                       const LoadedModel& loaded, const BatchOptions& options,
                                       const Findings& found) {
  try {
    return measure_in_worker(study, loaded.session.model, {}, nullptr, Progress());
  } catch (const Error&) {
    if (has_report(options)) {
      write_text(report_text(report_input(study, analysis, options, found), options.format),
                 options.out);
    }
    throw;
  }
}

/// The measurement that the options name, if any. Empty after planning for a budget, because the
/// step with the new plans was not measured.
std::optional<MeasuredPair> measured_before(const Study& study, const AnalysisOptions& analysis,
                                            const LoadedModel& loaded,
                                            const PlanningResults& planned) {
  if (analysis.measurement.empty() || planned.budget) return std::nullopt;
  const StudyMeasurements measured{loaded.session.baseline_measured,
                                   *loaded.session.current_measured};
  return MeasuredPair{measured, largest_error(study, measured)};
}

}  // namespace

void write_text(const std::string& text, const std::string& path) {
  if (path.empty()) {
    std::cout << text;
    flush_output();
  } else {
    write_file_atomically(path, text);
  }
}

int run_batch(const AnalysisOptions& analysis, const PlanningOptions& planning,
              const BatchOptions& options) {
  check_planning(planning, options.allocator);
  check_printed_format(options);
  check_shown(options);
  check_allocator(options.allocator);
  check_pool_outputs(options);
  const std::optional<Check> check = read_check(options.check);
  LoadedModel loaded = load_model_or_session(analysis);
  choose_allocator(options.allocator, loaded.session.choices);
  const auto allocator = allocator_settings(loaded.session.choices);
  check_outputs(options, check, loaded.session.choices, files_read(analysis, loaded));
  auto study = study_with_times(loaded);
  Findings found;
  found.planned = plan(planning, reserved_limit(options.allocator, loaded.session.choices), study,
                       loaded.session);
  found.arenas = arenas_of(*study, options, arena_limit(planning.limit, options.has_time_limit));
  const PlanningResults& planned = found.planned;
  const std::string pytorch = options.export_plan.empty() ? "" : pytorch_plan(*study);
  print_warnings("stashscope", loaded.warnings);
  print_warnings("stashscope", warnings_of_size("--budget", planning.budget.value_or("")));
  print_warnings("stashscope", warnings_of_size("--memory", planning.memory));
  print_first_warnings("stashscope", study->warnings, "--format json");
  std::optional<MeasuredPair> shown = measured_before(*study, analysis, loaded, planned);
  if (study->choices.device) {
    const StudyMeasurements measured =
        measured_or_reported(*study, analysis, loaded, options, found);
    shown = {measured, largest_error(*study, measured)};
    loaded.session.baseline_measured = measured.baseline;
    loaded.session.current_measured = measured.current;
    study = with_times_of(loaded.session, study);
  }
  if (has_report(options)) {
    ReportInput input = report_with_moves(*study, analysis, options, found);
    input.measured = shown;
    write_text(report_text(input, options.format), options.out);
  }
  if (!options.save_session.empty()) save_with_model(loaded.session, options.save_session);
  write_files(options, *study, analysis.file);
  if (!pytorch.empty()) write_file_atomically(options.export_plan, pytorch);
  write_exports(options.exports, *study, allocator,
                found.arenas ? &found.arenas->current : nullptr);
  const int checked =
      run_check(options.check, check, *study, allocator.value_or(AllocatorSettings()),
                analysis.file, options.format);
  return planned.budget && !planned.budget->feasible ? budget_not_met : checked;
}

}  // namespace stashscope::app
