#include "core/planner/recompute_search.h"

#include <algorithm>
#include <span>

#include "core/planner/greedy_recompute.h"
#include "core/planner/recompute_moves.h"
#include "core/schedule/tasks/run_sequence.h"
#include "core/schedule/tasks/sequence_moves.h"

namespace stashscope {

namespace {

/// Parameters of one round of annealing.
struct Round {
  double share;  ///< share of the search limit
  bool from_best;
  double first_temperature;  ///< temperature at the start, in units of the mean task cost
  double penalty;            ///< penalty at the start, in units of penalty_unit_
  /// Whether the penalty falls while the sequence is within the budget. If not, the penalty only
  /// rises.
  bool adapts = true;
};
/// The result of one round varies strongly by chance, so the search runs several rounds.
constexpr Round rounds_of_many_moves[] = {
    {0.2, false, 0.8, 1}, {0.2, false, 0.8, 1}, {0.2, false, 0.8, 1},
    {0.2, true, 0.4, 2},  {0.2, true, 0.4, 2},
};
/// In a small graph, adding or removing one run changes the cost by a large share. Escaping a local
/// optimum therefore takes a high temperature or a penalty that does not adapt.
constexpr Round rounds_of_a_small_graph[] = {
    {0.1, false, 0.8, 1, false}, {0.1, false, 0.4, 5, false},   {0.1, false, 4, 0.5, false},
    {0.1, false, 0.8, 2, false}, {0.1, false, 1.6, 0.3, false}, {0.1, false, 4, 0.5},
    {0.1, false, 8, 0.5},        {0.1, false, 0.8, 1},          {0.2, true, 0.2, 3, false},
};
constexpr std::size_t tasks_of_a_small_graph = 40;
/// In a large graph the limit allows too few moves per task for high temperatures.
constexpr Round rounds_of_few_moves[] = {{1, true, 0.1, 5}};
constexpr std::size_t tasks_of_a_large_graph = 3000;
constexpr double last_temperature = 0.005;

/// In a round that adapts, each change multiplies or divides the penalty by `penalty_step`, within
/// these limits. The limits are in units of penalty_unit_.
constexpr double penalty_step = 1.01;
constexpr double least_penalty = 0.05;
constexpr double most_penalty = 200;

/// Of 100 moves, this many shift, repeat or remove a run. The remaining moves replace a run.
constexpr std::uint32_t shifts = 30;
constexpr std::uint32_t repeats = 40;
constexpr std::uint32_t removals = 20;

class RecomputeAnnealer {
 public:
  RecomputeAnnealer(const TaskGraph& graph, const std::vector<TaskId>& start,
                    std::int64_t budget_bytes, const RecomputeRules& rules,
                    const SearchLimit& limit, const Progress& progress,
                    const BetterSequence& on_better)
      : state_(graph, start),
        start_(start),
        budget_(budget_bytes),
        rules_(rules),
        clock_(limit, progress),
        random_(limit.seed),
        moves_(state_, random_, rules.keeps_order),
        on_better_(on_better),
        mean_cost_(static_cast<double>(cost_of_all(graph)) / static_cast<double>(graph.tasks())),
        penalty_unit_(static_cast<double>(cost_of_all(graph)) /
                      std::max(1.0, static_cast<double>(budget_bytes))) {
    note_best();
    state_ = RunSequence(graph, greedy_recompute(graph, start, budget_, clock_));
    note_best();
  }

  BudgetedSequence run() {
    double from = 0;
    for (const Round& round : rounds()) {
      if (clock_.used(best_.moves) >= 1) break;
      state_ = RunSequence(state_.graph(), round.from_best ? best_.sequence : start_);
      const double until = std::min(1.0, from + round.share);
      anneal(round, from, until);
      from = until;
    }
    return std::move(best_);
  }

 private:
  static constexpr std::int64_t moves_between_looks = 256;

  std::span<const Round> rounds() const {
    const std::size_t tasks = state_.graph().tasks();
    if (tasks <= tasks_of_a_small_graph) return rounds_of_a_small_graph;
    if (tasks < tasks_of_a_large_graph) return rounds_of_many_moves;
    return rounds_of_few_moves;
  }

  void anneal(const Round& round, double from, double until) {
    const Cooling cooling{round.first_temperature * mean_cost_, last_temperature * mean_cost_};
    double temperature = cooling.first;
    penalty_ = round.penalty * penalty_unit_;
    for (;; ++best_.moves) {
      if (best_.moves % moves_between_looks == 0) {
        const double used = clock_.used(best_.moves);
        if (used >= until) return;
        const double share = (used - from) / (until - from);
        temperature = cooling.at(share);
        adapt_penalty(round, share);
      }
      if (state_.is_crowded() || best_.moves % (16 * moves_between_looks) == 0) state_.respace();
      const double most_energy = energy() + accepted_rise(temperature, random_);
      moves_.allow(most_energy);
      if (move() && energy() <= most_energy) {
        state_.keep();
        note_best();
      } else {
        state_.undo();
      }
    }
  }

  /// A round that adapts raises the penalty while the sequence is above the budget, and lowers the
  /// penalty while the sequence is within the budget. The search thus crosses the budget again and
  /// again, and about half of the visited sequences are above the budget. The cheapest sequences
  /// are close to the budget, because they use all of it (strategic oscillation; Glover, Hao: The
  /// case for strategic oscillation, 2011).
  void adapt_penalty(const Round& round, double share) {
    if (!round.adapts) {
      constexpr double rise = 20;
      penalty_ = round.penalty * penalty_unit_ * (1 + rise * share * share);
      return;
    }
    const bool is_above = state_.peak_bytes() > budget_;
    penalty_ = std::clamp(is_above ? penalty_ * penalty_step : penalty_ / penalty_step,
                          least_penalty * penalty_unit_, most_penalty * penalty_unit_);
  }

  bool move() {
    const std::uint32_t kind = random_.below(100);
    if (kind < shifts) return shift_random_run(state_, random_, rules_.keeps_order);
    if (kind < shifts + repeats) {
      return random_.below(2) == 0 ? moves_.repeat_any() : moves_.repeat_over_peak();
    }
    if (kind < shifts + repeats + removals) return moves_.remove_any();
    return moves_.replace_any(budget_);
  }

  double energy() const {
    const std::int64_t excess = std::max<std::int64_t>(0, state_.peak_bytes() - budget_);
    return static_cast<double>(state_.cost()) + penalty_ * static_cast<double>(excess);
  }

  bool is_better(std::int64_t peak, bool feasible) const {
    if (best_.sequence.empty()) return true;
    if (feasible != best_.feasible) return feasible;
    return feasible ? state_.cost() < best_.cost : peak < best_.peak_bytes;
  }

  void note_best() {
    const std::int64_t peak = state_.peak_bytes();
    const bool feasible = peak <= budget_;
    if (!is_better(peak, feasible)) return;
    if (feasible && !best_.feasible) best_.seconds_to_first = clock_.seconds();
    best_.feasible = feasible;
    best_.cost = state_.cost();
    best_.peak_bytes = peak;
    best_.sequence = state_.sequence();
    if (on_better_) on_better_(best_.sequence);
  }

  RunSequence state_;
  const std::vector<TaskId>& start_;
  std::int64_t budget_;
  RecomputeRules rules_;
  SearchClock clock_;
  SearchRandom random_;
  RecomputeMoves moves_;
  const BetterSequence& on_better_;
  double mean_cost_;
  double penalty_unit_;  ///< cost of all tasks divided by the bytes of the budget
  double penalty_ = 0;   ///< cost per byte above the budget
  BudgetedSequence best_;
};

}  // namespace

BudgetedSequence search_recompute(const TaskGraph& graph, const std::vector<TaskId>& start,
                                  std::int64_t budget_bytes, const RecomputeRules& rules,
                                  const SearchLimit& limit, const Progress& progress,
                                  const BetterSequence& on_better) {
  if (graph.tasks() == 0) {
    return {start, 0, graph.persistent_bytes, graph.persistent_bytes <= budget_bytes, 0, 0};
  }
  return RecomputeAnnealer(graph, start, budget_bytes, rules, limit, progress, on_better).run();
}

}  // namespace stashscope
