#pragma once

#include <string>

#include "app/allocator_option.h"
#include "app/check.h"
#include "app/exports.h"
#include "app/planning.h"

namespace stashscope::app {

/// The outputs of the program without a window. An empty path means no output, except for `out`.
struct BatchOptions {
  std::string format = "text";
  std::string out;  ///< file of the report; empty: standard output
  std::string save_model;
  std::string save_session;
  std::string export_env;
  std::string export_plan;
  std::string svg;
  CheckOptions check;
  ExportOptions exports;
  AllocatorOptions allocator;
  bool lists_what_ifs = false;  ///< whether the report has the what-ifs that could be switched on
  bool has_arena = false;       ///< whether the report has the static arenas of the step
  /// Whether --time-limit was given. Only then does this limit hold for arenas, too.
  bool has_time_limit = false;
  std::string command;  ///< the command line, which HTML pages quote
  /// Another session, model or memory snapshot; if given, only the comparison is written.
  std::string compare;
};

/// Writes to a file, or to standard output if `path` is empty.
void write_text(const std::string& text, const std::string& path);

/// Analyzes the model, plans, runs the step if a device is chosen, and writes the requested
/// outputs. Returns 0, `budget_not_met` or `limit_broken`, or throws.
int run_batch(const AnalysisOptions& analysis, const PlanningOptions& planning,
              const BatchOptions& options);

}  // namespace stashscope::app
