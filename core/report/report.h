#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/allocator/allocator_advice.h"
#include "core/allocator/pool_settings.h"
#include "core/report/arena_report.h"
#include "core/study/facts/exported_config.h"
#include "core/study/facts/pass_savings.h"
#include "core/study/measured/measure.h"
#include "core/study/reserved/device_memory.h"
#include "core/study/search/budget.h"
#include "core/study/search/largest_fit.h"
#include "core/study/search/next_moves.h"
#include "core/study/search/replanned_fit.h"
#include "core/study/step/study.h"
#include "core/study/what_if/what_if_savings.h"

namespace stashscope {

/// Measurements of baseline and current variant, and their difference from the prediction.
struct MeasuredPair {
  StudyMeasurements runs;
  std::int64_t max_abs_error_bytes = 0;  ///< largest over all slots of both variants
};

/// Results of the planner.
struct PlanningResults {
  std::optional<BudgetAnswer> budget;  ///< the plans of this result are on in the study
  /// Peak and time of the step with the plans that ONNX Runtime runs for the config string. Not set
  /// if these are the plans of the result, or if there is no such config string
  /// (`exported_effect`).
  std::optional<ExportedEffect> exported;
  std::vector<ParetoPoint> curve;  ///< Pareto front of peak and time
  std::optional<LargestFit> fit;
  std::optional<ReplannedFit> replanned;  ///< set only with `fit`
};

/// The input of all reports, which print a study and compute nothing new.
struct ReportInput {
  const Study& study;
  std::string model_path;
  std::optional<MeasuredPair> measured = {};
  std::vector<PassSaving> passes = {};
  std::vector<FusionRow> fusions = {};
  std::vector<WhatIfSaving> what_ifs = {};  ///< the what-ifs that are on
  /// The what-ifs that could be switched on; unset: not asked for.
  std::optional<std::vector<WhatIfSaving>> what_if_offers = {};
  PlanningResults planned = {};
  /// The best next moves among those that `tried_moves` allows; unset if none were searched for.
  std::optional<std::vector<NextMove>> moves = {};
  MoveLimits tried_moves = {};
  std::optional<AllocatorAdvice> advice = {};
  /// Settings of a stream-ordered pool of CUDA whose reserved memory is reported; unset: not
  /// reported.
  std::optional<PoolSettings> pool = {};
  std::optional<StepArenas> arenas = {};  ///< of the study's variants
  /// Memory of the device outside tensors, which the report states next to reserved memory.
  std::vector<OtherMemory> others = usual_other_memory();
  std::string command = {};  ///< the command line that asked for the report; empty: unknown
};

/// The input of a report on `study`, with the savings of the passes and what-ifs that are on, and
/// the rows of the fusion strategies. The other members keep their defaults.
/// @param study must outlive the result
ReportInput report_input(const Study& study, const std::string& model_path);

/// Plan table and cluster table in ONNX Runtime's form (for a captured step, a line about the
/// capture instead), then the peaks with their largest tensors, then all other results.
std::string text_report(const ReportInput& input);

/// One JSON object; its keys are part of the command line interface. Always valid UTF-8.
std::string json_report(const ReportInput& input);

/// `, without 2 tensors of unknown size`, which no peak includes; empty if all sizes are known.
std::string unknown_sizes_clause(const Study& study);

/// For a model without a backward pass: the first line of its report, followed by an empty line.
/// Otherwise empty.
std::string no_backward_line(const Study& study);

}  // namespace stashscope
