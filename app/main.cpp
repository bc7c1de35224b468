#include "app/batch.h"
#include "app/layout_child.h"

namespace stashscope::app {
namespace {

int run(int argc, char** argv) {
  if (const auto code = run_layout_child(argc, argv)) return *code;
  CLI::App program("Shows where the memory of a training step goes and trades compute for memory.",
                   "stashscope");
  program.set_version_flag("--version", "stashscope " STASHSCOPE_VERSION);
  AnalysisOptions analysis;
  add_analysis_options(program, analysis);
  bool batch = false;
  BatchOptions options;
  program.add_flag("--batch", batch, "report without a window");
  program.add_option("--format", options.format, "text, json or html")
      ->check(CLI::IsMember({"text", "json", "html"}));
  program.add_option("--out", options.out, "file for the report (default: standard output)")
      ->type_name("FILE");
  program.add_option("--save-model", options.save_model, "write the modified graph")
      ->type_name("FILE");
  program.add_option("--save-session", options.save_session, "write model place and choices")
      ->type_name("FILE");
  program
      .add_option("--export-env", options.export_env,
                  "write the shell block that switches the plans on in the reference runtime")
      ->type_name("FILE");
  program.add_option("--svg", options.svg, "draw the graph")->type_name("FILE");
  program.footer("Exit codes: 0 done, 1 unusable input, 2 wrong usage, 3 the run failed.");
  if (const auto code = parse_command_line(program, argc, argv)) return *code;
  return guarded("stashscope", [&] { return run_batch(analysis, options); });
}

}  // namespace
}  // namespace stashscope::app

int main(int argc, char** argv) { return stashscope::app::run(argc, argv); }
