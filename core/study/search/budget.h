#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule/tasks/search_limit.h"
#include "core/study/step/study.h"

namespace stashscope {

/// What a plan for a budget is made of. Each one can express what the one before it can.
enum class PlanGranularity : std::uint8_t {
  cluster,  ///< recompute plans by cluster, which config strings say; any order
  node,     ///< single nodes run again, once each; the first runs keep their order
  sequence  ///< nodes run in any order, as often as it takes
};

/// `cluster`, `node` or `sequence`.
std::string_view name_of(PlanGranularity grain);
/// Throws a usage Error that lists the names.
PlanGranularity find_grain(std::string_view name);

struct BudgetRequest {
  std::int64_t budget_bytes = 0;  ///< of the whole step's peak, parameters and states included
  PlanGranularity grain = PlanGranularity::cluster;
  SearchLimit limit;  ///< a move is a change of a sequence, or one evaluation of a set of plans
};

/// Choices with what they lead to.
struct ParetoPoint {
  Choices choices;
  std::int64_t peak_bytes = 0;
  double extra_seconds = 0;  ///< beyond the step without plans
};

/// What no plan can be below: a moment that every way to run the step has.
struct StepPeakBound {
  std::int64_t bytes = 0;
  std::int64_t persistent_bytes = 0;  ///< of these, there throughout
  NodeId node;                        ///< that runs, or reads what was made, at that moment
  std::vector<ValueId> tensors;       ///< all there besides, largest first; workspace left out

  friend bool operator==(const StepPeakBound&, const StepPeakBound&) = default;
};

/// What is proven of a budget before plans are searched for.
struct BudgetProof {
  StepPeakBound floor;
  double least_extra_seconds = 0;  ///< no plan within the budget adds less

  friend bool operator==(const BudgetProof&, const BudgetProof&) = default;
};

/// What is known of a budget.
struct BudgetAnswer {
  BudgetRequest request;
  ParetoPoint best;       ///< the cheapest within the budget; if none is, that of the lowest peak
  bool feasible = false;  ///< whether it is within the budget
  /// Nothing where plans that put tensors away or fused groups stay in force: the proofs are of
  /// sequences of the step's own nodes.
  std::optional<StepPeakBound> floor;
  std::optional<double> least_extra_seconds;  ///< no plan within the budget adds less
  std::int64_t moves = 0;
  double seconds = 0;  ///< that the search took

  bool is_impossible() const { return floor && floor->bytes > request.budget_bytes; }
  /// Whether no plan of any grain within the budget adds less.
  bool is_proven_cheapest() const;
};

/// Plans that were found so far, none of them worse than another one in both peak and time.
class ParetoFront {
 public:
  /// Whether something that is there is no worse in both.
  bool has_as_good(std::int64_t peak_bytes, double extra_seconds) const;
  /// Whether it is new.
  bool add(ParetoPoint point);
  /// By ascending peak, so by descending time.
  const std::vector<ParetoPoint>& points() const { return points_; }
  /// The cheapest within the budget, or else that of the lowest peak. With a larger budget never
  /// dearer. @pre the archive is not empty
  const ParetoPoint& best(std::int64_t budget_bytes) const;

 private:
  std::vector<ParetoPoint> points_;
};

/// Called with better plans as they are found, by the thread that searches.
using OnPlan = std::function<void(const ParetoPoint&)>;
/// Called once before the search, by the thread that searches; not at all where nothing is proven.
using OnProof = std::function<void(const BudgetProof&)>;

/// The cheapest plan that is found for a budget, and what is proven of all. What the choices have
/// in force is among the candidates, so is all that `archive` has; what is found goes there.
/// Nothing is changed but plans (those that put tensors away stay), level and probe, or at the
/// other grains the planned sequence and the order; nodes that the user moved are back in their
/// places. Ends early with its best so far when cancelled. Who wants to be told of proofs early
/// gets them for a small share of the time.
BudgetAnswer plan_for_budget(const Study& study, const BudgetRequest& request, ParetoFront& archive,
                             const Progress& progress, const OnPlan& on_plan = {},
                             const OnProof& on_proof = {});

/// The cheapest plans for budgets from the lowest peak that is found to the one without plans, by
/// ascending peak, each cheaper than the one before it: at most `points`, at least two. The lowest
/// is searched for first, then budgets that halve the largest gap; what is found goes to the
/// archive as it is found. The limit is that of the whole curve.
std::vector<ParetoPoint> pareto_curve(const Study& study, PlanGranularity grain, std::size_t points,
                                      const SearchLimit& limit, ParetoFront& archive,
                                      const Progress& progress, const OnPlan& on_plan = {});

}  // namespace stashscope
