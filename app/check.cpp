#include "app/check.h"

#include <filesystem>
#include <iostream>

#include "app/exit_codes.h"
#include "app/options.h"
#include "app/parsed_file.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/report/check/check_texts.h"

namespace stashscope::app {

namespace {

std::string baseline_path(const CheckOptions& options, const MemoryLimits& limits) {
  return (std::filesystem::path(options.limits).parent_path() / limits.baseline).string();
}

}  // namespace

void add_check_options(CLI::App& program, CheckOptions& options, CLI::Option* batch) {
  CLI::Option* const check =
      program
          .add_option("--check", options.limits,
                      "check the memory of the step against limits in a JSON file; prints the "
                      "result in the place of the report; exit code 5 if a limit is broken")
          ->type_name("LIMITS")
          ->needs(batch);
  program
      .add_option("--check-markdown", options.markdown,
                  "also write the result of --check as Markdown")
      ->type_name("FILE")
      ->needs(check);
  program
      .add_option("--check-junit", options.junit, "also write the result of --check as JUnit XML")
      ->type_name("FILE")
      ->needs(check);
  program
      .add_option("--save-baseline", options.save_baseline,
                  "write the memory of the step, which later checks can compare with")
      ->type_name("FILE")
      ->needs(batch);
}

std::optional<Check> read_check(const CheckOptions& options) {
  if (options.limits.empty()) return std::nullopt;
  Check check{parsed_file(options.limits, parse_limits), {}};
  if (!check.limits.baseline.empty()) {
    check.baseline = parsed_file(baseline_path(options, check.limits), parse_record);
  }
  return check;
}

void claim_check_outputs(const CheckOptions& options, const std::optional<Check>& check,
                         OverwriteGuard& files) {
  if (check) files.add(options.limits, "the limits");
  if (check && check->baseline) files.add(baseline_path(options, check->limits), "the baseline");
  for (const auto& [option, path] :
       {std::pair<const char*, const std::string&>("--check-markdown", options.markdown),
        {"--check-junit", options.junit},
        {"--save-baseline", options.save_baseline}}) {
    if (path.empty()) continue;
    files.claim(std::string(option) + " " + printable(path), path,
                std::string("the file of ") + option);
  }
}

int run_check(const CheckOptions& options, const std::optional<Check>& check, const Study& study,
              const AllocatorSettings& allocator, const std::string& model,
              const std::string& format) {
  if (!check && options.save_baseline.empty()) return 0;
  const MemoryRecord record = record_of(study, allocator);
  if (!options.save_baseline.empty()) {
    write_file_atomically(options.save_baseline, record_text(record));
  }
  if (!check) return 0;
  const MemoryRecord* const baseline = check->baseline ? &*check->baseline : nullptr;
  CheckResult result;
  try {
    result = check_limits(record, check->limits, baseline);
  } catch (const Error& error) {
    throw error.within(printable(options.limits));
  }
  const std::string name = std::filesystem::path(model).filename().string();
  const std::string markdown = check_markdown(result, name);
  std::cout << (format == "json" ? check_json(result) : markdown);
  flush_output();
  if (!options.markdown.empty()) write_file_atomically(options.markdown, markdown);
  if (!options.junit.empty()) write_file_atomically(options.junit, check_junit(result, name));
  return result.is_broken() ? limit_broken : 0;
}

}  // namespace stashscope::app
