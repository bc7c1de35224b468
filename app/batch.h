#pragma once

#include <string>

#include "app/planning.h"

namespace stashscope::app {

/// What a run without a window writes.
struct BatchOptions {
  std::string format = "text";
  std::string out;
  std::string save_model;
  std::string save_session;
  std::string export_env;
  std::string svg;
  std::string compare;  ///< another session or model; only the comparison is written
};

/// To a file, or to standard output when `path` is empty.
void write_text(const std::string& text, const std::string& path);

/// The study of a loaded; what its session's runs measured goes before what is predicted.
std::shared_ptr<const Study> study_with_times(const LoadedModel& loaded);

constexpr int budget_not_met = 4;

/// Analyses, plans, runs when a device is given, writes what is asked for. Returns 0, or
/// `budget_not_met`, or throws.
int run_batch(const AnalysisOptions& analysis, const PlanningOptions& planning,
              const BatchOptions& options);

}  // namespace stashscope::app
