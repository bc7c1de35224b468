#include "core/schedule/minimal/anneal_order.h"

#include "core/schedule/tasks/run_sequence.h"
#include "core/schedule/tasks/sequence_moves.h"

namespace stashscope {

namespace {

class OrderAnnealer {
 public:
  OrderAnnealer(const TaskGraph& graph, const std::vector<TaskId>& start, std::int64_t lower_bound,
                const SearchLimit& limit, const Progress& progress, const BetterSequence& on_better)
      : state_(graph, start),
        clock_(limit, progress),
        random_(limit.seed),
        lower_bound_(lower_bound),
        on_better_(on_better),
        start_(start),
        best_(start),
        best_peak_(state_.peak_bytes()) {}

  std::vector<TaskId> run() {
    const auto scale = static_cast<double>(best_peak_ - state_.graph().persistent_bytes);
    for (int round = 0; round < rounds && best_peak_ > lower_bound_ && clock_.used(moves_) < 1;
         ++round) {
      if (round > 0) state_ = RunSequence(state_.graph(), start_);
      // Rounds with high temperatures leave local optima; rounds with low temperatures refine the
      // order. Which temperature a graph needs is not known in advance.
      const double first = round % 2 == 0 ? 0.01 : 0.003;
      anneal({first * scale, 1e-5 * scale}, static_cast<double>(round) / rounds,
             static_cast<double>(round + 1) / rounds);
    }
    return std::move(best_);
  }

 private:
  static constexpr int rounds = 4;
  static constexpr std::int64_t moves_between_looks = 256;

  /// Anneals while the used share of the search's limit is between `from` and `until`.
  void anneal(const Cooling& cooling, double from, double until) {
    double temperature = cooling.first;
    for (; best_peak_ > lower_bound_; ++moves_) {
      if (moves_ % moves_between_looks == 0) {
        const double used = clock_.used(moves_);
        if (used >= until) return;
        temperature = cooling.at((used - from) / (until - from));
      }
      if (state_.is_crowded() || moves_ % (16 * moves_between_looks) == 0) state_.respace();
      const double most =
          static_cast<double>(state_.peak_bytes()) + accepted_rise(temperature, random_);
      if (!shift_random_run(state_, random_)) continue;
      const std::int64_t after = state_.peak_bytes();
      if (static_cast<double>(after) <= most) {
        state_.keep();
        if (after < best_peak_) note_best(after);
      } else {
        state_.undo();
      }
    }
  }

  void note_best(std::int64_t peak) {
    best_peak_ = peak;
    best_ = state_.sequence();
    if (on_better_) on_better_(best_);
  }

  RunSequence state_;
  SearchClock clock_;
  SearchRandom random_;
  std::int64_t lower_bound_;
  const BetterSequence& on_better_;
  const std::vector<TaskId>& start_;
  std::vector<TaskId> best_;
  std::int64_t best_peak_;
  std::int64_t moves_ = 0;
};

}  // namespace

std::vector<TaskId> anneal_order(const TaskGraph& graph, const std::vector<TaskId>& start,
                                 std::int64_t lower_bound, const SearchLimit& limit,
                                 const Progress& progress, const BetterSequence& on_better) {
  return OrderAnnealer(graph, start, lower_bound, limit, progress, on_better).run();
}

}  // namespace stashscope
