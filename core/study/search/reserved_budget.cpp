#include "core/study/search/reserved_budget.h"

#include <algorithm>

#include "core/study/reserved/reserved_memory.h"

namespace stashscope {

namespace {

constexpr int most_rounds = 5;

/// A plan with the memory that is reserved for it.
struct ReservedPoint {
  ParetoPoint point;
  std::int64_t bytes = 0;  ///< reserved
};

class ReservedPlanner {
 public:
  /// @pre the request has an allocator
  ReservedPlanner(const Study& study, const BudgetRequest& asked, ParetoFront& archive,
                  const Progress& progress, const OnPlan& on_plan)
      : study_(study),
        asked_(asked),
        archive_(archive),
        progress_(progress),
        on_plan_(on_plan),
        clock_(asked.limit, progress) {}

  BudgetAnswer run() {
    BudgetRequest request = asked_;
    request.allocator.reset();
    BudgetAnswer answer;
    for (int round = 0; round < most_rounds && request.budget_bytes > 0; ++round) {
      request.limit = limit_of_round(round, answer.moves);
      BudgetAnswer found = plan_for_budget(study_, request, archive_, progress_, on_plan_);
      const bool is_last = !found.feasible || progress_.cancelled();
      if (round == 0) {
        answer = std::move(found);
      } else {
        answer.moves += found.moves;
      }
      const ReservedPoint& best = best_reserved();
      answer.best = best.point;
      answer.reserved_bytes = best.bytes;
      answer.feasible = best.bytes <= asked_.budget_bytes;
      if (answer.feasible || is_last) break;
      const std::int64_t excess = best.bytes - asked_.budget_bytes;
      request.budget_bytes = std::min(request.budget_bytes, best.point.peak_bytes) - excess;
    }
    answer.request = asked_;
    answer.later_peak_bytes = later_peak_bytes(study_, answer.best);
    answer.seconds = clock_.seconds();
    return answer;
  }

 private:
  /// An equal share of what the rounds before it left.
  SearchLimit limit_of_round(int round, std::int64_t moves) const {
    const double share = 1.0 / (most_rounds - round);
    SearchLimit left = asked_.limit;
    if (left.moves > 0) left.moves = std::max<std::int64_t>(1, left.moves - moves);
    return share_of(rest_of(asked_.limit, left, clock_), share);
  }

  /// The cheapest plan that fits when it is reserved; otherwise the one that reserves least.
  /// @pre the archive is not empty
  const ReservedPoint& best_reserved() {
    const std::vector<ParetoPoint>& points = archive_.points();
    std::optional<std::size_t> least;
    for (auto point = points.rbegin(); point != points.rend(); ++point) {
      if (point->peak_bytes > asked_.budget_bytes && point + 1 != points.rend()) continue;
      if (least && progress_.cancelled()) break;
      const std::size_t tried = reserved_with(*point);
      if (known_[tried].bytes <= asked_.budget_bytes) return known_[tried];
      if (!least || known_[tried].bytes < known_[*least].bytes) least = tried;
    }
    return known_[*least];
  }

  /// Index of the point in `known_`. Each point is played once.
  std::size_t reserved_with(const ParetoPoint& point) {
    const auto found = std::ranges::find_if(known_, [&](const ReservedPoint& each) {
      return each.point.peak_bytes == point.peak_bytes && each.point.choices == point.choices;
    });
    if (found != known_.end()) return static_cast<std::size_t>(found - known_.begin());
    const auto there = compute_study(study_.model, point.choices, &study_, Progress());
    known_.push_back(
        {point, reserved_memory(*there, *there->current, *asked_.allocator).reserved_bytes});
    return known_.size() - 1;
  }

  const Study& study_;
  const BudgetRequest& asked_;
  ParetoFront& archive_;
  const Progress& progress_;
  const OnPlan& on_plan_;
  SearchClock clock_;
  std::vector<ReservedPoint> known_;
};

}  // namespace

BudgetAnswer plan_for_reserved(const Study& study, const BudgetRequest& request,
                               ParetoFront& archive, const Progress& progress,
                               const OnPlan& on_plan) {
  return ReservedPlanner(study, request, archive, progress, on_plan).run();
}

}  // namespace stashscope
