#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/allocator/allocator_settings.h"
#include "core/base/search_limit.h"
#include "core/study/reserved/device_memory.h"
#include "core/study/search/joint_facts.h"
#include "core/study/search/plan_aim.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The unit in which a plan for a budget runs nodes again. `cluster`, `node` and `sequence` go from
/// the coarsest to the finest.
enum class PlanGranularity : std::uint8_t {
  cluster,   ///< recompute plans by cluster, as in config strings; with any order strategy
  node,      ///< single nodes run one more time; the first runs keep their order
  sequence,  ///< nodes run in any order, each up to 6 times
  joint      ///< what-ifs and passes together with plans of all grains; see `plan_jointly`
};

/// The name of a grain: `cluster`, `node`, `sequence` or `joint`.
std::string_view name_of(PlanGranularity grain);
/// The grain with this name. For an unknown name, throws a usage Error that lists the names.
PlanGranularity find_grain(std::string_view name);

struct BudgetRequest {
  /// Limit for the peak of the whole step, including parameters and optimizer states.
  std::int64_t budget_bytes = 0;
  PlanGranularity grain = PlanGranularity::cluster;
  SearchLimit limit;  ///< a move is one change of a sequence, or one evaluation of a set of plans
  PlanAim aim = PlanAim::time;
  /// Whether the budget limits the peak of later steps instead, if a captured step makes the states
  /// of its optimizer (later_steps.h). The peaks of the answer are those of the captured step.
  bool limits_later_steps = false;
  /// Whether the search ends as soon as it is known whether a plan meets the budget: at the first
  /// plan within the budget, or at the proof that there is none. Such a plan is rarely the
  /// cheapest.
  bool ends_when_decided = false;
  /// If set, the budget limits the memory that an allocator with these settings reserves.
  std::optional<AllocatorSettings> allocator = {};
  /// If set, also limits the memory that the step takes of the device, including memory outside
  /// tensors: the upper figure of `device_memory` for `others` is at most this. Has no effect
  /// without `allocator`.
  std::optional<std::int64_t> device_bytes = {};
  std::vector<OtherMemory> others = usual_other_memory();
  /// Whether the grain `joint` may choose what changes the results of the step: compressed tensors,
  /// and micro-batches of a model that mixes its samples.
  bool may_change_results = false;
};

/// Whether plans can be made for the study at this granularity. False for `joint`, for a captured
/// step without modules that PyTorch could run again, and for a captured step at another
/// granularity than `cluster`: PyTorch runs only whole modules again.
bool is_plannable(const Study& study, PlanGranularity grain);
/// Throws a usage Error with the reason if the study is not plannable.
void check_plannable(const Study& study, PlanGranularity grain);

/// Whether the request limits the peak of later steps, and the study's step makes states of its
/// optimizer.
bool is_for_later_steps(const Study& study, const BudgetRequest& request);

/// Choices with the peak and the time that these choices lead to.
struct ParetoPoint {
  Choices choices;
  std::int64_t peak_bytes = 0;
  double extra_seconds = 0;     ///< seconds that the plans add to the step
  std::int64_t host_bytes = 0;  ///< the most bytes that the plans keep on the host
};

/// The peak of later steps with the plans of `point`, a point of this study.
std::int64_t later_peak_bytes(const Study& study, const ParetoPoint& point);

/// Lower bound on the peak: the fewest live bytes at a moment that every execution passes.
struct StepPeakBound {
  std::int64_t bytes = 0;
  std::int64_t persistent_bytes = 0;  ///< the part of `bytes` that lives during the whole step
  NodeId node;  ///< the node that runs at that moment; invalid: the end of the step
  std::vector<ValueId> tensors;  ///< the live tensors that are not persistent, largest first

  friend bool operator==(const StepPeakBound&, const StepPeakBound&) = default;
};

/// The bounds that are proven for a budget before the search for plans.
struct BudgetProof {
  StepPeakBound floor;
  double least_extra_seconds = 0;  ///< lower bound on the time that a plan within the budget adds

  friend bool operator==(const BudgetProof&, const BudgetProof&) = default;
};

/// The effect of plans on a step.
struct PlanOutcome {
  std::int64_t peak_bytes = 0;
  double extra_seconds = 0;     ///< seconds that the plans add to the step
  std::int64_t host_bytes = 0;  ///< the most bytes that the plans keep on the host
};

/// The result of planning for a budget.
struct BudgetAnswer {
  BudgetRequest request;
  /// The cheapest point within the budget, or else the point with the lowest peak.
  ParetoPoint best;
  bool feasible = false;  ///< whether `best` is within the budget
  /// The peak of later steps with `best` (later_steps.h); at least the peak of the captured step.
  std::int64_t later_peak_bytes = 0;
  /// Bytes that the allocator of the request reserves with `best`. Not set if the request has no
  /// allocator.
  std::optional<std::int64_t> reserved_bytes = {};
  /// The memory that the step takes of the device with `best`. Set only if the request has
  /// `device_bytes`.
  std::optional<DeviceMemory> device = {};
  /// Lower bound on the peak. Not set for the grain `joint` (see `JointFacts::floor_bytes`) and for
  /// a captured step. At the grain `cluster`, also not set if the choices have plans that evict
  /// tensors or a fusion strategy, because the proofs cover only sequences of the step's own nodes.
  std::optional<StepPeakBound> floor;
  /// Lower bound on the time that a plan within the budget adds. Not set if `floor` is not set or
  /// exceeds the budget.
  std::optional<double> least_extra_seconds;
  std::int64_t moves = 0;
  double seconds = 0;  ///< duration of the search
  /// Set only for the grain `joint`: what was chosen besides plans, and why. The extra time of
  /// `best` is then only the time that its plans add.
  std::shared_ptr<const JointFacts> joint = {};
  /// The best plans that were left out because they keep more on the host than
  /// `TimeChoices::host_memory`. Not set if none of these are better than `best`. For the grain
  /// `joint`, their extra time is the time of the whole step, minus the time of the step that was
  /// asked about.
  std::optional<PlanOutcome> left_out_for_host = {};

  /// The entries of the study's config that offload tensors and that `best` lacks or has with a
  /// lower count, because the host has no room for them. Only for the grain `cluster`.
  RecomputeConfig lowered_for_host = {};

  bool is_impossible() const;
  /// Whether it is proven that no plan within the budget, of any granularity, adds less time than
  /// `best`.
  bool is_proven_cheapest() const;
};

/// The Pareto front of the plans found so far, in peak and time.
class ParetoFront {
 public:
  /// Whether a point of the front is at least as good in both peak and time.
  bool has_as_good(std::int64_t peak_bytes, double extra_seconds) const;
  /// Adds a point and removes the points that the new point dominates. If the front already has a
  /// point that is as good, adds nothing and returns false.
  bool add(ParetoPoint point);
  /// The points by ascending peak, and therefore by descending time.
  const std::vector<ParetoPoint>& points() const { return points_; }
  /// The cheapest point within the budget, or else the point with the lowest peak. A larger budget
  /// never gives a more expensive point. @pre the front is not empty
  const ParetoPoint& best(std::int64_t budget_bytes) const;

  /// Notes plans that were left out because they keep too many bytes on the host.
  void leave_out(const PlanOutcome& plans);
  /// The plans that would be the best ones within the budget if the host had more memory. Not set
  /// if none that were left out are better than `best`.
  std::optional<PlanOutcome> left_out_for_host(std::int64_t budget_bytes) const;

 private:
  std::vector<ParetoPoint> points_;
  std::vector<PlanOutcome> left_out_;  ///< a Pareto front of its own
};

/// Called on the searching thread when the search finds better plans. Some better plans may be
/// skipped.
using OnPlan = std::function<void(const ParetoPoint&)>;
/// Called once on the searching thread, before the search for plans. Not called if no bound is
/// proven.
using OnProof = std::function<void(const BudgetProof&)>;

/// Searches for plans of the step within a budget for its tensors, as `plan_for_budget` does, but
/// proves nothing. Returns the number of moves. @pre the grain is not `joint`
std::int64_t search_for_budget(const Study& study, PlanGranularity grain, std::int64_t budget_bytes,
                               const SearchLimit& limit, ParetoFront& archive,
                               const Progress& progress);

/// Searches for the cheapest plan within a budget, and proves bounds that hold for all plans. The
/// candidates include the plans of `study` and all points of `archive`. Plans found are added to
/// `archive`. The search changes the recompute plans, the level and the options of the recompute
/// search, but evicting plans stay as they are. At the grains `node` and `sequence`, the search
/// also changes the planned sequence and the order. The search drops the user's moves of nodes.
/// When cancelled, the search ends early and returns the best plan so far. If `on_proof` is set, a
/// small share of the limit is spent on bounds before the search.
/// With the aim `operations` and for later steps, `on_plan` and `on_proof` are not called, and the
/// points of `archive` are not candidates. With an allocator, `on_proof` is not called.
/// Plans that keep more on the host than `TimeChoices::host_memory` are left out. If the offloaded
/// tensors of the study keep more, their counts are lowered (`BudgetAnswer::lowered_for_host`).
/// Throws a usage Error if the study is not plannable, for the grain `joint`, which changes more
/// than plans (`plan_jointly`), and for the aim `operations` if the step was
/// not captured or if `limits_later_steps` or `ends_when_decided` is set.
BudgetAnswer plan_for_budget(const Study& study, const BudgetRequest& request, ParetoFront& archive,
                             const Progress& progress, const OnPlan& on_plan = {},
                             const OnProof& on_proof = {});

/// The cheapest plans for several budgets, by ascending peak. Each plan is cheaper than the plan
/// before it. The budgets lie between the lowest and the highest peak in `archive`; their number is
/// at most `points`, but at least two. The search first looks for the lowest peak, and then
/// repeatedly halves the largest gap between budgets. Plans found are added to `archive`. The limit
/// covers the whole curve.
std::vector<ParetoPoint> pareto_curve(const Study& study, PlanGranularity grain, std::size_t points,
                                      const SearchLimit& limit, ParetoFront& archive,
                                      const Progress& progress, const OnPlan& on_plan = {});

}  // namespace stashscope
