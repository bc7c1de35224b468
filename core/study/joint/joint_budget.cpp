#include "core/study/joint/joint_budget.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "core/base/error.h"
#include "core/study/choices/host_limit.h"
#include "core/study/joint/combination_bounds.h"
#include "core/study/joint/combinations.h"
#include "core/study/joint/explanation.h"
#include "core/study/joint/search_moves.h"
#include "core/study/search/cluster_budget.h"
#include "core/study/search/plan_evaluator.h"

namespace stashscope {

namespace {

/// The search also tries smaller budgets: the multiples of the peak divided by this number.
constexpr std::int64_t shares_of_peak = 10;

std::vector<PlanType> allowed_evictions(const Study& study, const BudgetRequest& request) {
  std::vector<PlanType> types;
  for (const Strategy& each : strategies()) {
    if (is_searched(each.type)) continue;
    const bool is_on = std::ranges::any_of(
        study.config, [&](const auto& entry) { return entry.second.type == each.type; });
    if (!each.lossy || request.may_change_results || is_on) types.push_back(each.type);
  }
  return types;
}

/// A step that was found.
struct FoundStep {
  Choices choices;
  std::int64_t peak_bytes = 0;
  double seconds = 0;
  std::size_t combination = 0;
  std::int64_t host_bytes = 0;  ///< the most bytes that the plans keep on the host
};

class JointPlanner {
 public:
  JointPlanner(const std::shared_ptr<const Study>& study, const BudgetRequest& request,
               const Progress& progress)
      : study_(study),
        request_(request),
        progress_(progress),
        clock_(request.limit, progress),
        evictions_(allowed_evictions(*study, request)),
        seconds_before_(step_seconds(*study, *study->current)),
        best_{study->choices, study->current->timeline.peak_bytes, seconds_before_, 0,
              study->current->host_bytes} {}

  BudgetAnswer run() {
    if (find()) {
      solve(request_.budget_bytes);
      for (std::int64_t share = shares_of_peak - 1; share > 0; --share) {
        const std::int64_t bytes = share_of_peak(share);
        if (bytes < request_.budget_bytes) solve(bytes);
      }
      if (!is_feasible() || is_unmet_) search_deepest();
      prove();
      improve();
    }
    return answer();
  }

 private:
  std::int64_t share_of_peak(std::int64_t share) const {
    const auto peak = static_cast<double>(study_->baseline->timeline.peak_bytes);
    return std::llround(static_cast<double>(share) / shares_of_peak * peak);
  }

  /// Finds the combinations and their bounds. Returns false if the search was cancelled.
  bool find() {
    try {
      const SearchLimit limit{0.4 * request_.limit.seconds, 0, 1, request_.limit.is_ended};
      found_ = find_combinations(
          *study_, {request_.budget_bytes, request_.may_change_results, limit}, progress_);
      moves_ = moves_within(request_.limit, *study_, found_.all.size());
      for (const Combination& each : found_.all) {
        const bool is_late = request_.limit.seconds > 0 && clock_.used(0) > 0.6;
        bounds_.emplace_back(each, evictions_, is_late ? BoundEffort::least : BoundEffort::all,
                             progress_);
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      is_complete_ = false;
      return false;
    }
    // The bounds choose the searches, so bounds that were left out may change the answer.
    is_complete_ =
        found_.is_complete && std::ranges::none_of(bounds_, &CombinationBounds::leaves_out);
    return true;
  }

  bool keeps_host(std::int64_t host_bytes) const {
    return stashscope::keeps_host(study_->choices, host_bytes);
  }

  bool fits(const FoundStep& step) const {
    return step.peak_bytes <= request_.budget_bytes && keeps_host(step.host_bytes);
  }

  bool is_feasible() const { return fits(best_); }

  /// Whether a step of at least these seconds cannot be better than the best one.
  bool is_beaten(double seconds) const { return is_feasible() && seconds >= best_.seconds; }

  /// Whether the searches must end, which leaves time to compute the answer and its reasons.
  bool is_over() const {
    return progress_.cancelled() ||
           (request_.limit.seconds > 0 && clock_.used(0) >= share_of_searches);
  }

  /// Searches each combination for plans within a budget, and takes the best of them. Combinations
  /// with the lowest bounds come first.
  void solve(std::int64_t budget_bytes) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < found_.all.size(); ++i) {
      if (bounds_[i].floor_bytes() > budget_bytes) continue;
      if (found_.all[i].peak_bytes <= budget_bytes) take_without_plans(i);
      if (found_.all[i].peak_bytes > budget_bytes) order.push_back(i);
    }
    const auto bound_of = [&](std::size_t i) {
      const bool is_known = is_beaten(bounds_[i].known_seconds(budget_bytes));
      return is_known ? bounds_[i].known_seconds(budget_bytes)
                      : bounds_[i].prove_seconds(budget_bytes, {0, moves_of_a_bound, 1});
    };
    std::vector<std::pair<double, std::size_t>> by_bound;
    by_bound.reserve(order.size());
    for (const std::size_t i : order) by_bound.emplace_back(bound_of(i), i);
    std::ranges::sort(by_bound);
    bool is_searched = false;
    for (const auto& [seconds, i] : by_bound) {
      if (is_beaten(seconds)) continue;
      if (is_over()) is_complete_ = false;
      if (!is_over()) search(i, budget_bytes);
      is_searched = true;
    }
    is_unmet_ |= is_searched && lowest_found_ > budget_bytes;
  }

  void take_without_plans(std::size_t i) {
    const Combination& each = found_.all[i];
    take({each.study->choices, each.peak_bytes, each.seconds, i});
  }

  /// The part of the limit for one of the searches of a combination.
  SearchLimit part(std::int64_t moves) const {
    SearchLimit limit = request_.limit;
    limit.moves = moves;
    // 0 would mean no limit.
    if (limit.seconds > 0) {
      const double left = share_of_searches * limit.seconds - clock_.seconds();
      limit.seconds = std::max(1e-6, 0.4 * left);
    }
    return limit;
  }

  /// Searches for plans of a combination. Unless the limit of time ends the search, the result
  /// depends only on the combination, the budget and the moves.
  void search(std::size_t i, std::int64_t budget_bytes) {
    const Study& study = *found_.all[i].study;
    ParetoFront clusters;
    run_part(moves_.evaluations, [&](const SearchLimit& limit) {
      return search_for_budget(study, PlanGranularity::cluster, budget_bytes, limit, clusters,
                               progress_);
    });
    take_best(clusters, i, budget_bytes);
    if (!evictions_.empty()) search_evictions(i, budget_bytes, clusters);
    if (study.choices.fusion.strategy) return;
    ParetoFront sequences;
    run_part(moves_.of_sequences, [&](const SearchLimit& limit) {
      return search_for_budget(study, PlanGranularity::node, budget_bytes, limit, sequences,
                               progress_);
    });
    take_best(sequences, i, budget_bytes);
    if (sequences.best(budget_bytes).peak_bytes <= budget_bytes) return;
    run_part(moves_.of_sequences, [&](const SearchLimit& limit) {
      return search_for_budget(study, PlanGranularity::sequence, budget_bytes, limit, sequences,
                               progress_);
    });
    take_best(sequences, i, budget_bytes);
  }

  void search_evictions(std::size_t i, std::int64_t budget_bytes, const ParetoFront& clusters) {
    const Study& study = *found_.all[i].study;
    const ParetoPoint& start = clusters.best(budget_bytes);
    ClusterSearch how{PeakOf::step, {}, evictions_};
    if (start.choices.plans.search == study.choices.plans.search) {
      how.starts.push_back(start.choices.plans.config);
    }
    ParetoFront evicting;
    run_part(moves_.evaluations / 2, [&](const SearchLimit& limit) {
      return search_clusters(study, study.choices, budget_bytes, limit, progress_, evicting, {},
                             how);
    });
    take_best(evicting, i, budget_bytes);
  }

  template <class Search>
  void run_part(std::int64_t moves, const Search& search) {
    const SearchLimit limit = part(moves);
    const SearchClock clock(limit, progress_);
    searched_ += search(limit);
    is_complete_ &= limit.seconds == 0 || clock.seconds() < limit.seconds;
  }

  /// Searches the combination with the lowest floor once more, with this floor as the budget,
  /// because such a search finds the lowest peaks. Called if any budget was not met, even if only a
  /// smaller one: a request for the smaller budget would make this search, and the answer to the
  /// larger budget must not be slower.
  void search_deepest() {
    const auto floor = [](const CombinationBounds& each) { return each.floor_bytes(); };
    const auto lowest = std::ranges::min_element(bounds_, {}, floor);
    search(static_cast<std::size_t>(lowest - bounds_.begin()),
           std::min(request_.budget_bytes, lowest->floor_bytes()));
  }

  void take_best(const ParetoFront& front, std::size_t i, std::int64_t budget_bytes) {
    if (front.points().empty()) return;
    const ParetoPoint& point = front.best(budget_bytes);
    const Study& study = *found_.all[i].study;
    const double without = step_seconds(study, *study.baseline);
    take({point.choices, point.peak_bytes, without + point.extra_seconds, i, point.host_bytes});
    if (auto left_out = front.left_out_for_host(budget_bytes)) {
      left_out->extra_seconds += without - seconds_before_;
      left_out_.push_back(*left_out);
    }
  }

  bool is_better(const FoundStep& step) const {
    if (keeps_host(step.host_bytes) != keeps_host(best_.host_bytes)) {
      return keeps_host(step.host_bytes);
    }
    if (fits(step) != is_feasible()) return fits(step);
    return is_feasible() ? step.seconds < best_.seconds : step.peak_bytes < best_.peak_bytes;
  }

  void take(FoundStep step) {
    lowest_found_ = std::min(lowest_found_, step.peak_bytes);
    if (is_better(step)) best_ = std::move(step);
  }

  /// Improves the lower bound on the time of a step.
  void prove() {
    if (!is_feasible() || is_over()) return;
    for (CombinationBounds& each : bounds_) {
      if (!is_beaten(each.known_seconds(request_.budget_bytes))) {
        each.prove_seconds(request_.budget_bytes, {0, moves_of_a_bound, 1});
      }
    }
  }

  /// Searches the best combination for plans by node in the time that is left, because searches
  /// with fixed numbers of moves may not use all of it. If this improves the answer, the answer
  /// depends on the time and does not count as complete. Does nothing without a limit of time, with
  /// a limit of moves, for a step that is proven to be about the fastest, and for a step with fused
  /// groups, which plans by node do not know.
  void improve() {
    constexpr double enough = 1e-3;  // of the time of a step
    const bool has_time = request_.limit.seconds > 0 && request_.limit.moves == 0 && !is_over();
    const bool is_proven = best_.seconds <= (1 + enough) * least_seconds();
    if (!has_time || found_.all.empty() || !is_feasible() || is_proven) return;
    const Study& study = *found_.all[best_.combination].study;
    if (study.choices.fusion.strategy) return;
    SearchLimit rest = request_.limit;
    rest.seconds = share_of_searches * request_.limit.seconds - clock_.seconds();
    ParetoFront found;
    searched_ += search_for_budget(study, PlanGranularity::node, request_.budget_bytes, rest, found,
                                   progress_);
    const double before = best_.seconds;
    take_best(found, best_.combination, request_.budget_bytes);
    is_complete_ &= best_.seconds == before;
  }

  double least_seconds() const {
    double least = std::numeric_limits<double>::max();
    for (const CombinationBounds& each : bounds_) {
      if (each.floor_bytes() > request_.budget_bytes) continue;
      least = std::min(least, each.known_seconds(request_.budget_bytes));
    }
    return bounds_.empty() ? 0 : std::min(least, best_.seconds);
  }

  /// The best step without the config entries that `drop_useless` drops. If the study has a
  /// searched order, the step has this order, unless it then keeps more on the host than allowed.
  std::shared_ptr<const Study> best_study() const {
    Choices choices = best_.choices;
    if (is_order_searched(*study_) && !choices.plans.sequence) {
      choices.order.strategy = study_->choices.order.strategy;
    }
    auto after = compute_study(study_->model, choices, study_.get(), Progress());
    if (choices != study_->choices && drop_useless(*after, choices)) {
      after = compute_study(study_->model, choices, after.get(), Progress());
    }
    const bool is_by_rule = choices.order == best_.choices.order;
    if (is_by_rule || keeps_host(after->current->host_bytes)) return after;
    choices.order = best_.choices.order;
    return compute_study(study_->model, choices, after.get(), Progress());
  }

  BudgetAnswer answer() {
    auto after = best_study();
    BudgetAnswer answer;
    answer.request = request_;
    answer.best = {after->choices, after->current->timeline.peak_bytes, extra_seconds(*after),
                   after->current->host_bytes};
    answer.feasible =
        answer.best.peak_bytes <= request_.budget_bytes && keeps_host(after->current->host_bytes);
    answer.left_out_for_host =
        left_out_before(step_seconds(*after, *after->current), answer.best.peak_bytes);
    answer.later_peak_bytes = answer.best.peak_bytes;
    answer.moves = searched_;
    auto facts = std::make_shared<JointFacts>();
    facts->seconds = step_seconds(*after, *after->current);
    facts->seconds_before = seconds_before_;
    facts->peak_before = study_->current->timeline.peak_bytes;
    facts->least_seconds = std::min(facts->seconds, least_seconds());
    facts->floor_bytes = floor_bytes();
    facts->combinations = found_.all.size();
    facts->is_complete = is_complete_;
    if (!found_.all.empty()) facts->explanation = explain(*study_, found_, *after);
    facts->study = std::move(after);
    answer.joint = std::move(facts);
    answer.seconds = clock_.seconds();
    return answer;
  }

  /// The best plans that were left out because they keep too much on the host. Nothing if they are
  /// no better than a step with these seconds and this peak.
  std::optional<PlanOutcome> left_out_before(double seconds, std::int64_t peak_bytes) const {
    ParetoFront front;
    front.add({study_->choices, peak_bytes, seconds - seconds_before_});
    for (const PlanOutcome& each : left_out_) front.leave_out(each);
    return front.left_out_for_host(request_.budget_bytes);
  }

  /// Drops the entries of the config that the budget does not need, such as those of nodes that
  /// take no time. Returns whether any entry was dropped.
  bool drop_useless(const Study& after, Choices& choices) const {
    const PlanEvaluator evaluator(after);
    RecomputeConfig& config = choices.plans.config;
    const RecomputeConfig all = config;
    const auto before = evaluator.evaluate(all);
    if (before.peak_bytes > request_.budget_bytes) return false;
    for (const auto& [cluster, choice] : all) {
      config.erase(cluster);
      const auto without = evaluator.evaluate(config);
      const bool is_needed = without.peak_bytes > request_.budget_bytes ||
                             without.extra_seconds > before.extra_seconds ||
                             !keeps_host(without.host_bytes);
      if (is_needed) config.emplace(cluster, choice);
    }
    return config.size() < all.size();
  }

  std::int64_t floor_bytes() const {
    std::int64_t least = best_.peak_bytes;
    for (const CombinationBounds& each : bounds_) least = std::min(least, each.floor_bytes());
    return bounds_.empty() ? 0 : least;
  }

  static constexpr std::int64_t moves_of_a_bound = 1'000'000;
  static constexpr double share_of_searches = 0.85;  ///< of the limit of time

  const std::shared_ptr<const Study>& study_;
  const BudgetRequest& request_;
  const Progress& progress_;
  SearchClock clock_;
  std::vector<PlanType> evictions_;
  SearchMoves moves_;
  double seconds_before_;
  Combinations found_;
  std::deque<CombinationBounds> bounds_;  ///< one for each combination
  FoundStep best_;                        ///< at first the step as it is
  /// The lowest peak of the found steps that keep no more on the host than allowed.
  std::int64_t lowest_found_ =
      keeps_host(best_.host_bytes) ? best_.peak_bytes : std::numeric_limits<std::int64_t>::max();
  std::vector<PlanOutcome> left_out_;  ///< plans that keep too much on the host
  bool is_unmet_ = false;              ///< whether a search found no step within its budget
  std::int64_t searched_ = 0;
  bool is_complete_ = true;
};

void check_request(const Study& study, const BudgetRequest& request) {
  const std::string why_not = why_not_joint(study);
  if (!why_not.empty()) fail_usage("grain 'joint'", why_not, "choose the grain cluster");
  if (request.allocator) {
    fail_usage("grain 'joint'", "cannot be used for reserved memory",
               "limit the memory of tensors instead, or choose another grain");
  }
  if (request.aim != PlanAim::time) {
    fail_usage("grain 'joint'", "cannot have another aim than time", "leave the aim out");
  }
  if (request.ends_when_decided || request.limits_later_steps) {
    fail_usage("grain 'joint'", "cannot limit later steps or end at the first plan",
               "choose the grain cluster");
  }
}

}  // namespace

std::string why_not_joint(const Study& study) {
  if (!study.graph().data().captured) return "";
  return "cannot be used with a captured step, because what-ifs cannot change its graph";
}

BudgetAnswer plan_jointly(const std::shared_ptr<const Study>& study, const BudgetRequest& request,
                          const Progress& progress) {
  check_request(*study, request);
  return JointPlanner(study, request, progress).run();
}

BudgetAnswer answer_budget(const std::shared_ptr<const Study>& study, const BudgetRequest& request,
                           ParetoFront& archive, const Progress& progress) {
  return request.grain == PlanGranularity::joint
             ? plan_jointly(study, request, progress)
             : plan_for_budget(*study, request, archive, progress);
}

std::shared_ptr<const Study> study_of(const BudgetAnswer& answer, const Study& asked) {
  if (answer.joint != nullptr) return answer.joint->study;
  return compute_study(asked.model, answer.best.choices, &asked, Progress());
}

}  // namespace stashscope
