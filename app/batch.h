#pragma once

#include <string>

#include "app/options.h"
#include "core/study/budget.h"

namespace stashscope::app {

/// What a run without a window writes.
struct BatchOptions {
  std::string format = "text";
  std::string out;
  std::string save_model;
  std::string save_session;
  std::string export_env;
  std::string svg;
};

/// What is to be planned before the report.
struct PlanningOptions {
  std::string budget;  ///< bytes as people write them; empty: none
  std::string grain = "cluster";
  std::size_t pareto = 0;  ///< points of the curve; 0: none
  SearchLimit limit;
};

/// Declares the options. @param batch they take no window
void add_planning_options(CLI::App& program, PlanningOptions& options, CLI::Option* batch);

constexpr int budget_not_met = 4;

/// Analyses, plans, runs when a device is given, writes what is asked for. Returns 0, or
/// `budget_not_met`, or throws.
int run_batch(const AnalysisOptions& analysis, const PlanningOptions& planning,
              const BatchOptions& options);

}  // namespace stashscope::app
