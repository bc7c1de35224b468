#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/allocator_option.h"
#include "app/options.h"
#include "core/report/report.h"

namespace stashscope::app {

/// The options for planning before the report.
struct PlanningOptions {
  std::optional<std::string> budget;  ///< the value of --budget, such as 12GiB
  std::optional<std::string> grain;   ///< default: cluster
  bool allows_lossy = false;          ///< whether joint plans may change results
  std::string aim = "time";  ///< what plans for the budget minimise: added time or operations
  std::size_t pareto = 0;    ///< points of the curve; 0: no curve
  SearchLimit limit;
  std::string fit;           ///< [LABEL=]NAME[,NAME...]; empty: none
  std::string memory;        ///< such as 12GiB; empty: the memory of the profile
  bool replans_fit = false;  ///< whether --fit also makes a plan for each size
};

/// Declares the options. @param batch the option that all planning options need
void add_planning_options(CLI::App& program, PlanningOptions& options, CLI::Option* batch);

/// Throws a usage Error for inconsistent options. Call it before anything is loaded.
/// @param fits `fits.fits` says which memory --budget and --fit limit
void check_planning(const PlanningOptions& options, const AllocatorOptions& fits);

/// Runs the planning that the options request. A plan for a budget replaces the choices in `study`
/// and `session`, and drops the measurements in `session`. Throws a usage Error for dimensions that
/// the study lacks.
/// @param reserved if set, --budget and --fit limit this reserved memory instead of the tensors
PlanningResults plan(const PlanningOptions& options, const std::optional<ReservedLimit>& reserved,
                     std::shared_ptr<const Study>& study, Session& session);

}  // namespace stashscope::app
