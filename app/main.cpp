#include <iostream>

#include "app/batch.h"
#include "app/compare_snapshots.h"
#include "app/compare_steps.h"
#include "app/layout_child.h"
#include "app/leaks.h"
#include "app/lists.h"
#include "app/process_start.h"
#include "app/replay.h"
#include "app/window.h"
#include "core/base/error.h"
#include "core/process/remote.h"
#include "core/snapshot/snapshot_file.h"

namespace stashscope::app {
namespace {

struct ProgramOptions {
  AnalysisOptions analysis;
  PlanningOptions planning;
  BatchOptions batch;
  WindowOptions window;
  ReplayOptions replay;
  std::vector<std::string> leak_snapshots;
  bool has_format = false;
  bool is_batch = false;
  bool lists_optimizers = false;
  bool lists_passes = false;
  bool lists_orders = false;
  bool lists_fusions = false;
  bool lists_profiles = false;
};

void add_arena_option(CLI::App& program, BatchOptions& options, CLI::Option* batch) {
  program
      .add_flag("--arena", options.has_arena,
                "also state the static arena of the step: the memory with a fixed offset for each "
                "tensor")
      ->needs(batch);
}

/// @param batch the option that all options declared here need, except --advise-allocator
void add_batch_options(CLI::App& program, BatchOptions& options, CLI::Option* batch) {
  program.add_option("--out", options.out, "file for the report (default: standard output)")
      ->type_name("FILE")
      ->needs(batch);
  program
      .add_option("--save-model", options.save_model, "write the modified graph as an ONNX model")
      ->type_name("FILE")
      ->needs(batch);
  program
      .add_option("--save-session", options.save_session,
                  "write a session: the path of the model, the choices and any measurements")
      ->type_name("FILE")
      ->needs(batch);
  program
      .add_option("--export-env", options.export_env,
                  "write the shell block that switches the plans on in ONNX Runtime")
      ->type_name("FILE")
      ->needs(batch);
  program
      .add_option("--export-plan", options.export_plan,
                  "write the plans of a captured step for stashscope.apply in PyTorch")
      ->type_name("FILE")
      ->needs(batch);
  add_allocator_options(program, options.allocator, batch);
  add_check_options(program, options.check, batch);
  add_export_options(program, options.exports, batch);
  add_arena_option(program, options, batch);
  program.add_option("--svg", options.svg, "write a picture of the graph")
      ->type_name("FILE")
      ->needs(batch);
  program
      .add_option(
          "--compare", options.compare,
          "print the differences from this other session, model or memory snapshot of "
          "PyTorch, as text or json; the other options change the choices of 'file' only; if one "
          "side is a snapshot, --allocator changes the choices of the other side")
      ->type_name("FILE")
      ->needs(batch)
      ->excludes("--save-model")
      ->excludes("--save-session")
      ->excludes("--export-env")
      ->excludes("--export-plan")
      ->excludes("--export-snapshot")
      ->excludes("--export-perfetto")
      ->excludes("--export-node-data")
      ->excludes("--export-csv")
      ->excludes("--export-arena")
      ->excludes("--arena")
      ->excludes("--svg")
      ->excludes("--budget")
      ->excludes("--pareto")
      ->excludes("--grain")
      ->excludes("--allow-lossy")
      ->excludes("--fit")
      ->excludes("--fits")
      ->excludes("--advise-allocator")
      ->excludes("--other-memory")
      ->excludes("--check")
      ->excludes("--save-baseline");
}

/// @param batch the option that excludes all options declared here
void add_window_options(CLI::App& program, WindowOptions& options, CLI::Option* batch) {
  CLI::Option* const screenshot = program
                                      .add_option("--screenshot", options.screenshot,
                                                  "draw the window into a PNG file and exit")
                                      ->type_name("FILE")
                                      ->excludes(batch);
  program.add_option("--size", options.size, "size of the screenshot (default 1600x1000)")
      ->type_name("WxH")
      ->needs(screenshot);
  program
      .add_option("--workspace", options.workspace,
                  "workspace of the window: overview, plan, fit, order, run, compare, or all "
                  "for every panel (default: the one used last)")
      ->check(CLI::IsMember({"overview", "plan", "fit", "order", "run", "compare", "all"}))
      ->excludes(batch);
  program
      .add_option("--theme", options.theme,
                  "theme of the window: system, light, dark or contrast (light on black)")
      ->check(CLI::IsMember({"system", "light", "dark", "contrast"}))
      ->excludes(batch);
}

int print_list(const std::string& list) {
  std::cout << list;
  flush_output();
  return 0;
}

/// Throws a usage Error if the format is given without an option that prints, or if that option
/// does not have the format.
void check_format(const ProgramOptions& options) {
  const std::string& format = options.batch.format;
  const char* const printing = !options.replay.events.empty()    ? "--replay"
                               : !options.leak_snapshots.empty() ? "--find-leaks"
                                                                 : nullptr;
  if (printing != nullptr && format != "text" && format != "json") {
    fail_usage("--format " + format, std::string("cannot be used with ") + printing,
               "choose text or json");
  }
  if (options.has_format && !options.is_batch && printing == nullptr) {
    fail_usage("--format", "requires --batch, --replay or --find-leaks", "add one of them");
  }
}

/// Throws a usage Error if --advise-allocator is given without --batch and --replay.
void check_advice(const ProgramOptions& options) {
  if (!options.batch.allocator.advises || options.is_batch || !options.replay.events.empty())
    return;
  fail_usage("--advise-allocator", "requires --batch or --replay", "add one of them");
}

/// Throws a usage Error if the file is a memory snapshot and is not compared.
void check_file(const ProgramOptions& options) {
  const std::string& file = options.analysis.file;
  if (!options.batch.compare.empty() || !is_snapshot_file(file)) return;
  fail_usage(printable(file), "is a memory snapshot of PyTorch, not a model",
             "compare it with --batch --compare FILE, play it with --replay, or search it with "
             "--find-leaks");
}

int find_leaks(const ProgramOptions& options) {
  if (!options.analysis.file.empty()) {
    fail_usage(printable(options.analysis.file), "is given beside --find-leaks",
               "name every snapshot after --find-leaks");
  }
  return run_leak_search(options.leak_snapshots, options.batch.format);
}

int compare(const ProgramOptions& options) {
  refuse_pool(options.batch.allocator, "--compare");
  return compares_snapshots(options.analysis, options.batch)
             ? run_snapshot_comparison(options.analysis, options.batch)
             : run_comparison(options.analysis, options.batch);
}

/// Without a display, prints the report instead of opening the window.
int run_program(const ProgramOptions& options, int argc, char** argv) {
  if (options.lists_optimizers) return print_optimizers();
  if (options.lists_passes) return print_list(pass_list());
  if (options.lists_fusions) return print_list(fusion_list());
  if (options.lists_orders) return print_list(order_list());
  if (options.lists_profiles) return print_profiles();
  if (options.batch.lists_what_ifs && !options.is_batch) return print_list(what_if_list());
  check_format(options);
  check_advice(options);
  if (!options.replay.events.empty()) {
    return run_replay(options.replay, options.batch.allocator.advises, options.batch.format);
  }
  if (!options.leak_snapshots.empty()) return find_leaks(options);
  check_file(options);
  if (!options.batch.compare.empty()) return compare(options);
  if (options.is_batch) return run_batch(options.analysis, options.planning, options.batch);
  if (!options.window.screenshot.empty() || can_show_window()) {
    return run_window(options.analysis, options.window, argc, argv);
  }
  std::cerr << "stashscope: no display was found; printing the report of --batch instead\n";
  return run_batch(options.analysis, options.planning, options.batch);
}

/// The command line of this process, quoted so that a user can paste it into a shell.
std::string command_line(int argc, char** argv) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=.,:/@%";
  std::string command = "stashscope";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool is_plain = !word.empty() && word.find_first_not_of(plain) == std::string::npos;
    command += " " + (is_plain ? word : shell_quoted(word));
  }
  return command;
}

int run(int argc, char** argv) {
  if (const auto code = run_layout_child(argc, argv)) return *code;
  CLI::App program("Shows where the memory of a training step goes and trades compute for memory.",
                   "stashscope");
  program.set_version_flag("--version", "stashscope " STASHSCOPE_VERSION);
  ProgramOptions options;
  add_analysis_options(program, options.analysis);
  program
      .add_option("--measurement", options.analysis.measurement,
                  "measurement of the step, from stashscope.measure in PyTorch or from "
                  "stashscope-run; its times replace predicted times")
      ->type_name("FILE");
  CLI::Option* const batch =
      program.add_flag("--batch", options.is_batch, "print a report instead of opening the window");
  program.add_flag("--list-optimizers", options.lists_optimizers,
                   "list the values of --optimizer and exit");
  program.add_flag("--list-passes", options.lists_passes, "list the values of --pass and exit");
  program.add_flag("--list-orders", options.lists_orders, "list the values of --order and exit");
  program.add_flag("--list-fusions", options.lists_fusions, "list the values of --fuse and exit");
  program.add_flag("--list-profiles", options.lists_profiles,
                   "list the built-in values of --profile and exit");
  program.add_flag("--list-what-ifs", options.batch.lists_what_ifs,
                   "list the values of --what-if and exit; with --batch, report what each would "
                   "change");
  add_planning_options(program, options.planning, batch);
  CLI::Option* const format =
      program
          .add_option("--format", options.batch.format,
                      "text, json, html, or summary (by operator type); with --replay and "
                      "--find-leaks text or json")
          ->check(CLI::IsMember({"text", "json", "html", "summary"}));
  add_batch_options(program, options.batch, batch);
  add_replay_options(program, options.replay);
  add_window_options(program, options.window, batch);
  add_leak_options(program, options.leak_snapshots);
  program.footer(
      "Exit codes: 0 done, 1 unusable input, 2 wrong usage, 3 the run failed, 4 the budget is not "
      "met, 5 a limit of --check is broken.");
  if (const auto code = parse_command_line(program, argc, argv)) return *code;
  options.batch.command = command_line(argc, argv);
  options.has_format = format->count() > 0;
  options.batch.has_time_limit = program.count("--time-limit") > 0;
  return guarded("stashscope", [&] { return run_program(options, argc, argv); });
}

}  // namespace
}  // namespace stashscope::app

int main(int argc, char** argv) {
  stashscope::app::prepare_process();
  return stashscope::app::run(argc, argv);
}
