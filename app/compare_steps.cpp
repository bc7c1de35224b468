#include "app/compare_steps.h"

#include "app/outputs.h"
#include "core/base/error.h"
#include "core/report/comparison_report.h"
#include "core/study/reserved/reserved_memory.h"

namespace stashscope::app {

namespace {

void check_usage(const BatchOptions& options) {
  if (options.format != "text" && options.format != "json") {
    fail_usage("--format " + options.format, "cannot show a comparison", "choose text or json");
  }
}

std::optional<std::int64_t> reserved_bytes(const Study& study) {
  const auto settings = allocator_settings(study.choices);
  if (!settings) return std::nullopt;
  return reserved_memory(study, *study.current, *settings).reserved_bytes;
}

}  // namespace

int run_comparison(const AnalysisOptions& analysis, const BatchOptions& options) {
  check_usage(options);
  check_allocator(options.allocator);
  LoadedModel left = load_model_or_session(analysis);
  choose_allocator(options.allocator, left.session.choices);
  const LoadedModel right = stashscope::load_model_or_session(options.compare);
  if (!options.out.empty()) {
    OverwriteGuard files = files_read(analysis, left);
    files.add_model(right.session.model, *right.model);
    files.add_session(options.compare);
    files.claim("--out " + printable(options.out), options.out, "the file of --out");
  }
  require_writable({options.out});
  const auto left_study = study_with_times(left);
  const auto right_study = study_with_times(right);
  print_warnings("stashscope", left.warnings);
  print_warnings("stashscope", right.warnings);
  const std::vector<ComparisonRow> rows = compare(
      *left_study, *right_study, {reserved_bytes(*left_study), reserved_bytes(*right_study)});
  const ComparisonInput input{analysis.file, options.compare, rows};
  write_text(options.format == "json" ? comparison_json(input) : comparison_text(input),
             options.out);
  return 0;
}

}  // namespace stashscope::app
