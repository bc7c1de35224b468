#include "core/study/search/budget.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/study/search/cluster_budget.h"
#include "core/study/search/plan_evaluator.h"
#include "core/study/search/sequence_budget.h"
#include "core/study/step/moved_order.h"
#include "core/study/step/plan_effects.h"

namespace stashscope {

namespace {

constexpr std::array<std::string_view, 3> grain_names = {"cluster", "node", "sequence"};

/// Whether no sequence of the step's own nodes can express the plans, because evicting plans or
/// fused groups stay in force. The inner tensors of fused groups take no memory.
bool is_beyond_sequences(const Study& study, PlanGranularity grain) {
  const bool evicts = !own_part(study.choices.plans.config).empty();
  return grain == PlanGranularity::cluster && (evicts || study.choices.fusion.strategy);
}

bool is_captured(const Study& study) { return study.graph().data().captured != nullptr; }

/// Throws a usage Error if there is nothing to plan with at this grain.
void check_plannable(const Study& study, PlanGranularity grain) {
  if (!is_captured(study)) return;
  if (grain != PlanGranularity::cluster) {
    fail_usage("grain '" + std::string(name_of(grain)) + "'",
               "does not fit a captured step: PyTorch runs whole modules again",
               "choose the grain cluster");
  }
  if (study.opportunities->plans.empty()) {
    fail_usage(
        "planning", "the captured step has no module that PyTorch could run again",
        "capture a step with forward and backward of a model with modules, with this version "
        "of the package");
  }
}

/// The study with the other value of `layer_boundary`, the option of the recompute search that
/// leaves the inputs of transformer layers stashed.
std::shared_ptr<const Study> other_probe(const Study& study) {
  Choices choices = without_search(study, study.choices);
  PlanChoices& plans = choices.plans;
  plans.search = effective_search_options(plans);
  plans.search.layer_boundary = !plans.search.layer_boundary;
  plans.level = 0;
  plans.config = own_part(plans.config);
  return compute_study(study.model, choices, &study, Progress());
}

/// Searches plans of one study at one grain.
class BudgetPlanner {
 public:
  BudgetPlanner(const Study& study, PlanGranularity grain, ParetoFront& archive,
                const Progress& progress, const OnPlan& on_plan)
      : study_(study), grain_(grain), archive_(archive), progress_(progress), on_plan_(on_plan) {
    check_plannable(study, grain);
    if (is_captured(study)) return;
    problem_.emplace(study, progress);
    constexpr SearchLimit limit{0, moves_of_proofs, 1};
    if (!is_beyond_sequences(study, grain)) floor_ = problem_->floor(limit, progress);
  }

  std::int64_t lowest_bytes() const {
    return floor_ ? floor_->bytes : study_.sizes->parameter_bytes;
  }

  BudgetAnswer plan(std::int64_t budget_bytes, const SearchLimit& limit, const OnProof& on_proof) {
    const SearchClock clock(limit, progress_);
    BudgetAnswer answer;
    const double proven_early = on_proof ? tell_proof(budget_bytes, limit, on_proof) : 0;
    answer.request = {budget_bytes, grain_, limit};
    answer.moves = search(budget_bytes, share_of(limit, 0.9));
    if (grain_ == PlanGranularity::cluster && is_order_searched(study_))
      take_in_order(budget_bytes);
    answer.floor = floor_;
    if (floor_ && !answer.is_impossible()) {
      SearchLimit rest = rest_of(limit, share_of(limit, 0.1), clock);
      if (rest.moves > 0) rest.moves = std::max(rest.moves, moves_of_proofs);
      const double proven = problem_->least_extra_seconds(budget_bytes, rest, progress_);
      answer.least_extra_seconds = std::max(proven, proven_early);
    }
    answer.best = archive_.best(budget_bytes);
    answer.feasible = answer.best.peak_bytes <= budget_bytes;
    answer.seconds = clock.seconds();
    return answer;
  }

  /// Searches plans for a budget and returns the number of moves.
  std::int64_t search(std::int64_t budget_bytes, const SearchLimit& limit) {
    return grain_ == PlanGranularity::cluster ? search_clusters(budget_bytes, limit)
                                              : search_sequences(budget_bytes, limit);
  }

 private:
  static constexpr std::int64_t moves_of_proofs = 2'000'000;  // about 1 s for 30,000 tasks

  /// Reports the proven bounds. Returns the lower bound on the seconds that a plan within the
  /// budget adds.
  double tell_proof(std::int64_t budget_bytes, const SearchLimit& limit, const OnProof& on_proof) {
    if (!floor_) return 0;
    BudgetProof proof{*floor_, 0};
    if (floor_->bytes <= budget_bytes) {
      const SearchLimit early{0.05 * limit.seconds, moves_of_proofs / 4, 1};
      proof.least_extra_seconds =
          std::max(0.0, problem_->least_extra_seconds(budget_bytes, early, progress_));
    }
    on_proof(proof);
    return proof.least_extra_seconds;
  }

  /// Evaluates the best plans with the study's searched order. The search evaluates plans with the
  /// default order.
  void take_in_order(std::int64_t budget_bytes) {
    const Choices best = archive_.best(budget_bytes).choices;
    if (best == study_.choices || progress_.cancelled()) return;
    const auto there = compute_study(study_.model, best, &study_, Progress());
    take_point({best, there->current->timeline.peak_bytes,
                added_seconds(study_, there->current->dataflow)});
  }

  /// Whether the best plan fits and adds no time, so that no plan is better.
  bool is_free(std::int64_t budget_bytes) const {
    const ParetoPoint& best = archive_.best(budget_bytes);
    return best.peak_bytes <= budget_bytes && best.extra_seconds <= 0;
  }

  std::int64_t search_clusters(std::int64_t budget_bytes, const SearchLimit& limit) {
    const SearchClock clock(limit, progress_);
    if (!study_.choices.plans.sequence) {
      take_point({with_clusters(study_.choices, study_.config), study_.current->timeline.peak_bytes,
                  extra_seconds(study_)});
      if (is_free(budget_bytes)) return 0;
    }
    const std::int64_t evaluations = stashscope::search_clusters(
        study_, study_.choices, budget_bytes, share_of(limit, 0.5), progress_, archive_, on_plan_);
    if (is_free(budget_bytes) || progress_.cancelled() || is_captured(study_)) return evaluations;
    if (other_ == nullptr) other_ = other_probe(study_);
    Choices base = other_->choices;
    base.order = study_.choices.order;
    const SearchLimit rest = rest_of(limit, share_of(limit, 0.5), clock);
    return evaluations + stashscope::search_clusters(*other_, base, budget_bytes, rest, progress_,
                                                     archive_, on_plan_);
  }

  std::int64_t search_sequences(std::int64_t budget_bytes, const SearchLimit& limit) {
    const SearchClock clock(limit, progress_);
    take_known(study_);
    if (is_free(budget_bytes)) return 0;
    take_clusters(budget_bytes, share_of(limit, 0.1));
    double told_at = 0;
    // Reported plans do not enter the archive, because the speed of the machine decides which plans
    // are reported.
    const auto tell_now_and_then = [&](const std::vector<TaskId>& sequence) {
      constexpr double seconds_between = 0.2;  // each report computes the peak of a step
      if (!on_plan_ || clock.seconds() < told_at + seconds_between) return;
      told_at = clock.seconds();
      on_plan_(problem_->point(sequence));
    };
    const BudgetRequest request{budget_bytes, grain_, rest_of(limit, limit, clock)};
    const BudgetedSequence found = problem_->search(request, progress_, tell_now_and_then);
    take(found.sequence);
    return found.moves;
  }

  void take_known(const Study& study) {
    for (const Variant* const variant : {study.baseline.get(), study.current.get()}) {
      if (const auto sequence = problem_->sequence_of(*variant, grain_)) take(*sequence);
    }
  }

  /// Starts from the best plans by cluster, because sequences of nodes can express such plans.
  void take_clusters(std::int64_t budget_bytes, SearchLimit limit) {
    constexpr std::int64_t moves_of_an_evaluation = 100;
    if (limit.moves > 0) limit.moves = 1 + limit.moves / moves_of_an_evaluation;
    ParetoFront clusters;
    stashscope::search_clusters(study_, study_.choices, budget_bytes, limit, progress_, clusters,
                                {});
    const Choices& best = clusters.best(budget_bytes).choices;
    take_known(*compute_study(study_.model, without_search(study_, best), &study_, Progress()));
  }

  void take(std::span<const TaskId> sequence) { take_point(problem_->point(sequence)); }

  void take_point(ParetoPoint point) {
    if (archive_.has_as_good(point.peak_bytes, point.extra_seconds)) return;
    if (on_plan_) on_plan_(point);
    archive_.add(std::move(point));
  }

  const Study& study_;
  PlanGranularity grain_;
  ParetoFront& archive_;
  const Progress& progress_;
  const OnPlan& on_plan_;
  std::optional<SequenceProblem> problem_;  ///< not set for a captured step
  std::optional<StepPeakBound> floor_;
  std::shared_ptr<const Study> other_;  ///< the `other_probe`; computed on first use
};

/// The middle of the largest gap between budgets, which are in ascending order; one of the budgets
/// if there is no gap.
std::int64_t next_budget(const std::vector<std::int64_t>& budgets) {
  std::size_t widest = 1;
  for (std::size_t i = 2; i < budgets.size(); ++i) {
    const bool is_wider = budgets[i] - budgets[i - 1] > budgets[widest] - budgets[widest - 1];
    if (is_wider) widest = i;
  }
  return budgets[widest - 1] + (budgets[widest] - budgets[widest - 1]) / 2;
}

/// The best point for each budget, each point only once.
std::vector<ParetoPoint> best_for(const ParetoFront& archive,
                                  const std::vector<std::int64_t>& budgets) {
  std::vector<ParetoPoint> points;
  for (const std::int64_t budget : budgets) {
    const ParetoPoint& best = archive.best(budget);
    const bool is_new = points.empty() || best.extra_seconds < points.back().extra_seconds;
    if (is_new) points.push_back(best);
  }
  return points;
}

}  // namespace

std::string_view name_of(PlanGranularity grain) {
  return grain_names[static_cast<std::size_t>(grain)];
}

PlanGranularity find_grain(std::string_view name) {
  const auto found = std::ranges::find(grain_names, name);
  if (found != grain_names.end()) return static_cast<PlanGranularity>(found - grain_names.begin());
  fail_usage("grain '" + printable(std::string(name)) + "'", "is not known",
             "choose one of cluster, node, sequence");
}

bool BudgetAnswer::is_proven_cheapest() const {
  constexpr double rounding = 1e-9;  // proofs round times to whole picoseconds per node
  return feasible && least_extra_seconds &&
         best.extra_seconds <= std::max(0.0, *least_extra_seconds) + rounding;
}

bool ParetoFront::has_as_good(std::int64_t peak_bytes, double extra_seconds) const {
  const auto above = std::ranges::upper_bound(points_, peak_bytes, {}, &ParetoPoint::peak_bytes);
  return above != points_.begin() && (above - 1)->extra_seconds <= extra_seconds;
}

bool ParetoFront::add(ParetoPoint point) {
  if (has_as_good(point.peak_bytes, point.extra_seconds)) return false;
  std::erase_if(points_, [&](const ParetoPoint& each) {
    return each.peak_bytes >= point.peak_bytes && each.extra_seconds >= point.extra_seconds;
  });
  const auto place =
      std::ranges::upper_bound(points_, point.peak_bytes, {}, &ParetoPoint::peak_bytes);
  points_.insert(place, std::move(point));
  return true;
}

const ParetoPoint& ParetoFront::best(std::int64_t budget_bytes) const {
  const auto above = std::ranges::upper_bound(points_, budget_bytes, {}, &ParetoPoint::peak_bytes);
  return above == points_.begin() ? points_.front() : *(above - 1);
}

BudgetAnswer plan_for_budget(const Study& study, const BudgetRequest& request, ParetoFront& archive,
                             const Progress& progress, const OnPlan& on_plan,
                             const OnProof& on_proof) {
  if (!study.choices.order.moves.empty()) {
    return plan_for_budget(*without_moves(study), request, archive, progress, on_plan, on_proof);
  }
  return BudgetPlanner(study, request.grain, archive, progress, on_plan)
      .plan(request.budget_bytes, request.limit, on_proof);
}

std::vector<ParetoPoint> pareto_curve(const Study& study, PlanGranularity grain, std::size_t points,
                                      const SearchLimit& limit, ParetoFront& archive,
                                      const Progress& progress, const OnPlan& on_plan) {
  if (!study.choices.order.moves.empty()) {
    return pareto_curve(*without_moves(study), grain, points, limit, archive, progress, on_plan);
  }
  BudgetPlanner planner(study, grain, archive, progress, on_plan);
  const std::size_t between = std::max<std::size_t>(2, points) - 2;
  const double share = 1 / static_cast<double>(between + 2);
  planner.search(planner.lowest_bytes(), share_of(limit, 2 * share));
  std::vector<std::int64_t> budgets = {archive.points().front().peak_bytes,
                                       archive.points().back().peak_bytes};
  for (std::size_t i = 0; i < between && !progress.cancelled(); ++i) {
    const std::int64_t budget = next_budget(budgets);
    if (std::ranges::binary_search(budgets, budget)) break;
    planner.search(budget, share_of(limit, share));
    budgets.insert(std::ranges::upper_bound(budgets, budget), budget);
  }
  return best_for(archive, budgets);
}

}  // namespace stashscope
