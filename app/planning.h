#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/options.h"
#include "core/report/report.h"

namespace stashscope::app {

/// What is to be planned before the report.
struct PlanningOptions {
  std::optional<std::string> budget;  ///< bytes as people write them
  std::optional<std::string> grain;   ///< without: cluster
  std::size_t pareto = 0;             ///< points of the curve; 0: none
  SearchLimit limit;
  std::string fit;     ///< [LABEL=]NAME[,NAME...]; empty: none
  std::string memory;  ///< bytes as people write them; empty: that of the profile
};

/// Declares the options. @param batch they take no window
void add_planning_options(CLI::App& program, PlanningOptions& options, CLI::Option* batch);

/// Throws a usage Error: wrong usage is said before anything is loaded.
void check_planning(const PlanningOptions& options);

/// Plans what is asked for. The plans for a budget go into force in study and session, and what is
/// measured of others is forgotten. Throws a usage Error for dimensions that the study lacks.
PlanningResults plan(const PlanningOptions& options, std::shared_ptr<const Study>& study,
                     Session& session);

}  // namespace stashscope::app
