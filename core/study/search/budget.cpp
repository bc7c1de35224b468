#include "core/study/search/budget.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/study/choices/host_limit.h"
#include "core/study/search/cluster_budget.h"
#include "core/study/search/lowered_offloads.h"
#include "core/study/search/plan_evaluator.h"
#include "core/study/search/reserved_budget.h"
#include "core/study/search/sequence_budget.h"
#include "core/study/step/later_steps.h"
#include "core/study/step/moved_order.h"
#include "core/study/step/plan_effects.h"

namespace stashscope {

namespace {

constexpr std::array<std::string_view, 4> grain_names = {"cluster", "node", "sequence", "joint"};

/// Whether plans of this grain cannot be expressed as a sequence of the step's own nodes. This is
/// so if the choices have evicting plans or fused groups, which a search by cluster keeps. A
/// sequence cannot express that the inner tensors of a fused group take no memory.
bool is_beyond_sequences(const Study& study, PlanGranularity grain) {
  const bool evicts = !own_part(study.choices.plans.config).empty();
  return grain == PlanGranularity::cluster && (evicts || study.choices.fusion.strategy);
}

bool is_captured(const Study& study) { return study.graph().data().captured != nullptr; }

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

enum class Proofs : std::uint8_t { none, all };

/// Searches for plans of one study at one grain.
class BudgetPlanner {
 public:
  BudgetPlanner(const Study& study, PlanGranularity grain, ParetoFront& archive,
                const Progress& progress, const OnPlan& on_plan, PeakOf peak_of = PeakOf::step,
                Proofs proofs = Proofs::all)
      : study_(study),
        grain_(grain),
        archive_(archive),
        progress_(progress),
        on_plan_(on_plan),
        peak_of_(peak_of) {
    check_plannable(study, grain);
    const bool is_proven = proofs == Proofs::all && !is_beyond_sequences(study, grain);
    if (is_captured(study) || (grain == PlanGranularity::cluster && !is_proven)) return;
    problem_.emplace(study, progress);
    constexpr SearchLimit limit{0, moves_of_proofs, 1};
    if (is_proven) floor_ = problem_->floor(limit, progress);
  }

  /// Lets searches of a captured step start from plans for the other aim, too.
  /// @param other the same step with the times of the other aim; null if the step is not captured
  void start_from_plans_of(const Study* other) { other_aim_ = other; }

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
    answer.left_out_for_host = archive_.left_out_for_host(budget_bytes);
    answer.feasible = answer.best.peak_bytes <= budget_bytes;
    answer.seconds = clock.seconds();
    return answer;
  }

  /// Searches for plans within a budget and returns the number of moves.
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

  /// Evaluates the best plans once more, now with the study's searched order. The search itself
  /// evaluates plans with the default order.
  void take_in_order(std::int64_t budget_bytes) {
    Choices best = archive_.best(budget_bytes).choices;
    // The point may have the order by rule (`in_order_for_host`).
    best.order = with_clusters(study_.choices, {}).order;
    if (best == study_.choices || progress_.cancelled()) return;
    const auto there = compute_study(study_.model, best, &study_, Progress());
    take_point({best, there->current->timeline.peak_bytes, extra_seconds(*there),
                there->current->host_bytes});
  }

  /// Whether the best plan fits and adds no time. If so, no plan is better.
  bool is_free(std::int64_t budget_bytes) const {
    if (archive_.points().empty()) return false;
    const ParetoPoint& best = archive_.best(budget_bytes);
    return best.peak_bytes <= budget_bytes && best.extra_seconds <= 0;
  }

  std::int64_t search_clusters(std::int64_t budget_bytes, const SearchLimit& limit) {
    const SearchClock clock(limit, progress_);
    if (!study_.choices.plans.sequence) {
      const std::int64_t peak = peak_of_ == PeakOf::step
                                    ? study_.current->timeline.peak_bytes
                                    : later_steps(study_, *study_.current).peak_bytes;
      take_point({with_clusters(study_.choices, study_.config), peak, extra_seconds(study_),
                  study_.current->host_bytes});
      if (is_free(budget_bytes)) return 0;
    }
    if (is_captured(study_)) return search_regions(budget_bytes, limit);
    const std::int64_t evaluations = stashscope::search_clusters(
        study_, study_.choices, budget_bytes, share_of(limit, 0.5), progress_, archive_, on_plan_);
    if (is_free(budget_bytes) || progress_.cancelled()) return evaluations;
    if (other_ == nullptr) other_ = other_probe(study_);
    Choices base = other_->choices;
    base.order = study_.choices.order;
    const SearchLimit rest = rest_of(limit, share_of(limit, 0.5), clock);
    return evaluations + stashscope::search_clusters(*other_, base, budget_bytes, rest, progress_,
                                                     archive_, on_plan_);
  }

  std::int64_t search_regions(std::int64_t budget_bytes, const SearchLimit& limit) {
    const SearchClock clock(limit, progress_);
    std::int64_t evaluations = 0;
    std::vector<RecomputeConfig> starts;
    SearchLimit own = limit;
    if (other_aim_ != nullptr) {
      own = share_of(limit, 0.7);
      ParetoFront others;
      evaluations =
          stashscope::search_clusters(*other_aim_, study_.choices, budget_bytes,
                                      share_of(limit, 0.3), progress_, others, {}, {peak_of_});
      for (const ParetoPoint& point : others.points()) {
        starts.push_back(point.choices.plans.config);
      }
    }
    const SearchLimit rest = rest_of(limit, own, clock);
    return evaluations + stashscope::search_clusters(study_, study_.choices, budget_bytes, rest,
                                                     progress_, archive_, on_plan_,
                                                     {peak_of_, std::move(starts)});
  }

  std::int64_t search_sequences(std::int64_t budget_bytes, const SearchLimit& limit) {
    const SearchClock clock(limit, progress_);
    take_known(study_);
    if (is_free(budget_bytes)) return 0;
    take_clusters(budget_bytes, share_of(limit, 0.1));
    double told_at = 0;
    // Reported plans are not added to the archive, because the speed of the machine decides which
    // plans are reported.
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

  /// Adds the best plans that a search by cluster finds to the candidates. Sequences of nodes can
  /// express these plans, too.
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
    if (!keeps_host(study_.choices, point.host_bytes))
      return archive_.leave_out({point.peak_bytes, point.extra_seconds, point.host_bytes});
    if (archive_.has_as_good(point.peak_bytes, point.extra_seconds)) return;
    if (on_plan_) on_plan_(point);
    archive_.add(std::move(point));
  }

  const Study& study_;
  PlanGranularity grain_;
  ParetoFront& archive_;
  const Progress& progress_;
  const OnPlan& on_plan_;
  PeakOf peak_of_;
  /// Not set for a captured step, and for a search by cluster without proofs.
  std::optional<SequenceProblem> problem_;
  std::optional<StepPeakBound> floor_;
  const Study* other_aim_ = nullptr;    ///< set only for a captured step
  std::shared_ptr<const Study> other_;  ///< the result of `other_probe`; computed on first use
};

/// The middle of the largest gap between neighbouring budgets, which are in ascending order. If all
/// budgets are equal, the result is that budget.
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

/// Searches for the plan with the fewest operations, and states its time on the device.
BudgetAnswer plan_for_operations(const Study& study, const BudgetRequest& request,
                                 ParetoFront& archive, const Progress& progress) {
  const char* const hint = "leave the aim out, or choose the aim time";
  if (!is_captured(study)) fail_usage("aim 'operations'", "needs a captured step", hint);
  if (request.limits_later_steps || request.ends_when_decided) {
    fail_usage("aim 'operations'", "cannot be used for later steps or for a search that ends early",
               hint);
  }
  const auto counted = counting_operations(study);
  ParetoFront in_operations;
  const OnPlan no_report;
  BudgetPlanner planner(*counted, request.grain, in_operations, progress, no_report);
  planner.start_from_plans_of(&study);
  BudgetAnswer answer = planner.plan(request.budget_bytes, request.limit, {});
  answer.request = request;
  answer.least_extra_seconds.reset();
  answer.best.extra_seconds =
      PlanEvaluator(study).evaluate(answer.best.choices.plans.config).extra_seconds;
  archive.add(answer.best);
  return answer;
}

/// Searches for plans with which later steps fit. The points of the search have the peaks of later
/// steps, so they do not belong in `archive`.
/// @param on_plan is told the peaks of later steps
BudgetAnswer plan_for_later_steps(const Study& study, const BudgetRequest& request,
                                  ParetoFront& archive, const Progress& progress,
                                  const OnPlan& on_plan) {
  ParetoFront in_later_steps;
  const auto counted = counting_operations(study);
  BudgetPlanner planner(study, request.grain, in_later_steps, progress, on_plan,
                        PeakOf::later_steps);
  planner.start_from_plans_of(counted.get());
  BudgetAnswer answer = planner.plan(request.budget_bytes, request.limit, {});
  answer.request = request;
  answer.best.peak_bytes =
      PlanEvaluator(study).evaluate(answer.best.choices.plans.config).peak_bytes;
  archive.add(answer.best);
  return answer;
}

/// Searches for plans with the peak and the aim of the request. If the request has
/// `ends_when_decided`, ends as soon as it is known whether a plan meets the budget.
BudgetAnswer answer_to(const Study& study, const BudgetRequest& request, ParetoFront& archive,
                       const Progress& progress, const OnPlan& on_plan, const OnProof& on_proof) {
  if (request.aim == PlanAim::operations) {
    return plan_for_operations(study, request, archive, progress);
  }
  std::atomic<bool> is_decided = false;
  BudgetRequest searched = request;
  if (request.ends_when_decided) searched.limit.is_ended = &is_decided;
  const OnPlan note_plan = [&](const ParetoPoint& point) {
    if (point.peak_bytes <= request.budget_bytes) is_decided = true;
  };
  BudgetAnswer answer;
  if (is_for_later_steps(study, request)) {
    answer = plan_for_later_steps(study, searched, archive, progress, note_plan);
  } else {
    const OnPlan tell_plan = [&](const ParetoPoint& point) {
      note_plan(point);
      if (on_plan) on_plan(point);
    };
    const OnProof tell_proof = [&](const BudgetProof& proof) {
      if (proof.floor.bytes > request.budget_bytes) is_decided = true;
      if (on_proof) on_proof(proof);
    };
    const auto counted = is_captured(study) ? counting_operations(study) : nullptr;
    const bool ends = request.ends_when_decided;
    const OnPlan told_plan = ends || on_plan ? tell_plan : OnPlan();
    const OnProof told_proof = ends || on_proof ? tell_proof : OnProof();
    BudgetPlanner planner(study, request.grain, archive, progress, told_plan);
    planner.start_from_plans_of(counted.get());
    answer = planner.plan(request.budget_bytes, searched.limit, told_proof);
  }
  answer.request = request;
  answer.lowered_for_host = lowered_offloads(study.choices, answer.best.choices);
  return answer;
}

}  // namespace

bool is_plannable(const Study& study, PlanGranularity grain) {
  if (grain == PlanGranularity::joint) return false;
  if (!is_captured(study)) return true;
  return grain == PlanGranularity::cluster && !study.opportunities->plans.empty();
}

void check_plannable(const Study& study, PlanGranularity grain) {
  if (grain == PlanGranularity::joint) {
    fail_usage("grain 'joint'",
               "cannot be used here, because it only answers one budget for the tensors of a step",
               "choose the grain cluster, node or sequence");
  }
  if (is_plannable(study, grain)) return;
  if (grain != PlanGranularity::cluster) {
    fail_usage("grain '" + std::string(name_of(grain)) + "'",
               "cannot be used with a captured step, because PyTorch runs only whole modules again",
               "choose the grain cluster");
  }
  fail_usage(
      "planning", "the captured step has no module that PyTorch could run again",
      "capture the step again with this version of the Python package; the step must run the "
      "forward and backward pass of a model with modules");
}

bool is_for_later_steps(const Study& study, const BudgetRequest& request) {
  return request.limits_later_steps && later_steps(study, *study.current).state_bytes > 0;
}

std::string_view name_of(PlanGranularity grain) {
  return grain_names[static_cast<std::size_t>(grain)];
}

PlanGranularity find_grain(std::string_view name) {
  const auto found = std::ranges::find(grain_names, name);
  if (found != grain_names.end()) return static_cast<PlanGranularity>(found - grain_names.begin());
  fail_usage("grain '" + printable(std::string(name)) + "'", "is not known",
             "choose one of cluster, node, sequence, joint");
}

bool BudgetAnswer::is_impossible() const {
  const auto is_above = [&](std::int64_t bytes) { return bytes > request.budget_bytes; };
  return joint != nullptr ? is_above(joint->floor_bytes) : floor && is_above(floor->bytes);
}

bool BudgetAnswer::is_proven_cheapest() const {
  constexpr double rounding = 1e-9;  // proofs round the time of each node to whole picoseconds
  if (joint != nullptr) return feasible && joint->seconds <= joint->least_seconds + rounding;
  return feasible &&
         best.extra_seconds <= std::max(0.0, least_extra_seconds.value_or(0)) + rounding;
}

std::int64_t later_peak_bytes(const Study& study, const ParetoPoint& point) {
  if (later_steps(study, *study.current).state_bytes == 0) return point.peak_bytes;
  const PlanEvaluator evaluator(study, PeakOf::later_steps);
  return evaluator.evaluate(point.choices.plans.config).peak_bytes;
}

std::int64_t search_for_budget(const Study& study, PlanGranularity grain, std::int64_t budget_bytes,
                               const SearchLimit& limit, ParetoFront& archive,
                               const Progress& progress) {
  const OnPlan no_report;
  return BudgetPlanner(study, grain, archive, progress, no_report, PeakOf::step, Proofs::none)
      .search(budget_bytes, limit);
}

BudgetAnswer plan_for_budget(const Study& study, const BudgetRequest& request, ParetoFront& archive,
                             const Progress& progress, const OnPlan& on_plan,
                             const OnProof& on_proof) {
  if (!study.choices.order.moves.empty()) {
    return plan_for_budget(*without_moves(study), request, archive, progress, on_plan, on_proof);
  }
  if (request.allocator) return plan_for_reserved(study, request, archive, progress, on_plan);
  BudgetAnswer answer = answer_to(study, request, archive, progress, on_plan, on_proof);
  answer.later_peak_bytes = later_peak_bytes(study, answer.best);
  return answer;
}

std::vector<ParetoPoint> pareto_curve(const Study& study, PlanGranularity grain, std::size_t points,
                                      const SearchLimit& limit, ParetoFront& archive,
                                      const Progress& progress, const OnPlan& on_plan) {
  if (!study.choices.order.moves.empty()) {
    return pareto_curve(*without_moves(study), grain, points, limit, archive, progress, on_plan);
  }
  const auto counted = is_captured(study) ? counting_operations(study) : nullptr;
  BudgetPlanner planner(study, grain, archive, progress, on_plan);
  planner.start_from_plans_of(counted.get());
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
