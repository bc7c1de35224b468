#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/passes/graph_pass.h"
#include "core/study/search/budget.h"
#include "core/study/search/largest_fit.h"

namespace stashscope {

/// How the plan for a single size is searched for.
struct ReplanRequest {
  PlanGranularity grain = PlanGranularity::cluster;
  SearchLimit limit;  ///< of the search at each size

  friend bool operator==(const ReplanRequest&, const ReplanRequest&) = default;
};

/// A size with which the step fits, and the choices under which it fits.
struct PlannedFit {
  std::int64_t value = 0;
  /// The sizes, plans and passes. The numbers below are those of the study with these choices.
  Choices choices;
  /// Passes that are on, but not in the study that was asked about.
  std::vector<const GraphPass*> passes = {};
  std::int64_t peak_bytes = 0;
  std::int64_t later_peak_bytes = 0;  ///< the peak of later steps; within the memory
  /// Set if the question asks for reserved memory; within the memory.
  std::optional<std::int64_t> reserved_bytes = {};
  /// Set if the question has `device_bytes`; the upper figure is at most these bytes.
  std::optional<DeviceMemory> device = {};
  std::int64_t host_bytes = 0;  ///< the most bytes that the plans keep on the host
  double seconds = 0;           ///< predicted time of the step
  double extra_seconds = 0;     ///< the part of `seconds` that the plans add
};

/// The next larger size: no plan was found with which the step fits.
struct UnplannedSize {
  std::int64_t value = 0;
  /// Lower bound on the peak, if the bound exceeds the memory: the size is proven not to fit. The
  /// bound may come from a smaller size. Not set if the search at this size ended undecided.
  std::optional<std::int64_t> bound_bytes = {};
  /// The peak with the plan that comes closest to the memory (`BudgetAnswer::best`). 0 unless a
  /// search at this size ended undecided.
  std::int64_t lowest_peak_bytes = 0;
  std::int64_t later_peak_bytes = 0;  ///< the peak of later steps with this plan
  /// The memory that the allocator reserves with this plan. Set together with `lowest_peak_bytes`
  /// if the question asks for reserved memory.
  std::optional<std::int64_t> reserved_bytes = {};
  /// The memory that the step takes of the device with this plan. Set together with
  /// `lowest_peak_bytes` if the question has `device_bytes`.
  std::optional<DeviceMemory> device = {};
  /// If not empty: sizes are too large to be computed, and none of the bytes is set.
  std::string fault = {};
};

/// The largest size with which the step fits if a plan is made for each size.
struct ReplannedFit {
  ReplanRequest request;
  std::int64_t memory_bytes = 0;                  ///< the memory that the step must fit
  std::optional<std::int64_t> device_bytes = {};  ///< as in the question
  std::optional<PlannedFit> largest;              ///< not set: no size fits
  std::optional<UnplannedSize> next;
  /// The size directly above `largest`, or 1 if the model accepts no size. Set only if the model
  /// rejects this size.
  std::optional<std::int64_t> refused_value;
  bool is_unlimited = false;  ///< no limit was found: `largest` is the largest size tried
  bool is_stopped = false;    ///< cancelled: `largest` is the largest size found so far
  int trials = 0;             ///< the number of sizes tried

  /// Whether a size above `largest` may fit, because the search did not decide this.
  bool is_at_least() const {
    return is_stopped || (next && !next->bound_bytes && next->fault.empty());
  }
};

/// Called on the searching thread before each search: the size that is tried next, and the largest
/// size that fits so far.
using OnReplan = std::function<void(std::int64_t value, const std::optional<PlannedFit>& largest)>;

/// Answers the question of `known` with a plan for each size: finds the largest size at which the
/// planner finds a plan with which the step fits. Later steps of a captured step must fit, too, and
/// so must the reserved memory and memory outside tensors if the question asks for them. The plans
/// keep no more on the host than `TimeChoices::host_memory`. The answer is never smaller than the
/// sizes in `known`, unless the study's order is searched for or its plans keep too much on the
/// host. Each size is decided by a search of its own, which starts without the plans of the study,
/// but with the passes that lower the peak and take no time (`with_free_passes`). The largest size
/// then gets one more search, for a cheaper plan. A size that a search leaves undecided counts as
/// too large, as do all sizes above it, so the answer depends on the limit. When cancelled, returns
/// the largest size found so far.
/// @pre is_plannable(study, request.grain)
ReplannedFit replanned_fit(const Study& study, const LargestFit& known,
                           const ReplanRequest& request, const Progress& progress,
                           const OnReplan& on_replan = {});

}  // namespace stashscope
