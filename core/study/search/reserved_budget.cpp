#include "core/study/search/reserved_budget.h"

#include <algorithm>
#include <numeric>

#include "core/study/reserved/reserved_memory.h"

namespace stashscope {

namespace {

/// The last round gets all that is left of the limit. Each earlier round gets half of what is left.
constexpr int most_rounds = 8;

/// A plan with the memory that is reserved for it.
struct ReservedPoint {
  ParetoPoint point;
  std::int64_t bytes = 0;              ///< reserved
  std::optional<DeviceMemory> device;  ///< taken of the device; set only with `device_bytes`
  std::int64_t excess = 0;             ///< bytes above the limit; below 0: bytes to spare
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
      const double share = round + 1 == most_rounds ? 1 : 0.5;
      request.limit = share_of_rest(asked_.limit, answer.moves, clock_, share);
      const BudgetAnswer found = plan_for_budget(study_, request, archive_, progress_, on_plan_);
      const std::int64_t moves = answer.moves + found.moves;
      if (round == 0) answer = found;
      answer.moves = moves;
      take_best(answer);
      const bool is_over = progress_.cancelled() || found.is_impossible();
      if (is_over || (answer.feasible && asked_.ends_when_decided)) break;
      request.budget_bytes = next_budget(found);
    }
    answer.request = asked_;
    answer.left_out_for_host = left_out_for_host(answer);
    answer.later_peak_bytes = later_peak_bytes(study_, answer.best);
    answer.seconds = clock_.seconds();
    return answer;
  }

 private:
  /// The best plans that were left out because they keep too much on the host. They are not played
  /// through the allocator. If the answer fits, only plans count that take less time at no higher
  /// peak; else, only plans whose peak is below the lowest peak found.
  std::optional<PlanOutcome> left_out_for_host(const BudgetAnswer& answer) const {
    if (archive_.points().empty()) return std::nullopt;
    return archive_.left_out_for_host(answer.feasible ? answer.best.peak_bytes
                                                      : archive_.points().front().peak_bytes - 1);
  }

  void take_best(BudgetAnswer& answer) {
    const ReservedPoint& best = best_reserved();
    answer.best = best.point;
    answer.reserved_bytes = best.bytes;
    answer.device = best.device;
    answer.feasible = best.excess <= 0;
  }

  /// The next budget for tensors, after a budget with the answer `found`. Until the reserved memory
  /// of a plan fits, lowers the budget by the excess. Then bisects between a budget whose plan has
  /// reserved memory that fits, and a budget whose plan does not. Returns the same budget again if
  /// the search found no plan within it, or if the plan of the first budget already fits.
  std::int64_t next_budget(const BudgetAnswer& found) {
    const std::int64_t tried = found.request.budget_bytes;
    if (!found.feasible) return tried;
    const std::int64_t excess = known_[reserved_with(found.best)].excess;
    std::optional<std::int64_t>& bound = excess > 0 ? fails_ : fits_;
    bound = tried;
    if (fits_ && fails_) return std::midpoint(*fits_, *fails_);
    if (fits_) return tried;
    const bool is_later = is_for_later_steps(study_, found.request);
    return std::min(tried, is_later ? found.later_peak_bytes : found.best.peak_bytes) - excess;
  }

  /// The cheapest plan whose reserved memory fits. If there is none, the plan whose reserved memory
  /// exceeds the limits least.
  /// @pre the archive is not empty
  const ReservedPoint& best_reserved() {
    const std::vector<ParetoPoint>& points = archive_.points();
    std::optional<std::size_t> least;
    for (auto point = points.rbegin(); point != points.rend(); ++point) {
      if (point->peak_bytes > asked_.budget_bytes && point + 1 != points.rend()) continue;
      if (least && progress_.cancelled()) break;
      const std::size_t tried = reserved_with(*point);
      if (known_[tried].excess <= 0) return known_[tried];
      if (!least || known_[tried].excess < known_[*least].excess) least = tried;
    }
    return known_[*least];
  }

  /// Index of the point in `known_`. Each point is played once.
  std::size_t reserved_with(const ParetoPoint& point) {
    const auto found = std::ranges::find_if(known_, [&](const ReservedPoint& each) {
      return each.point.peak_bytes == point.peak_bytes && each.point.choices == point.choices;
    });
    if (found != known_.end()) return static_cast<std::size_t>(found - known_.begin());
    known_.push_back(played(point));
    return known_.size() - 1;
  }

  ReservedPoint played(const ParetoPoint& point) const {
    const auto there = compute_study(study_.model, point.choices, &study_, Progress());
    const Variant& variant = *there->current;
    const AllocatorSettings& settings = *asked_.allocator;
    ReservedPoint played{point, reserved_memory(*there, variant, settings).reserved_bytes, {}, 0};
    played.excess = played.bytes - asked_.budget_bytes;
    if (!asked_.device_bytes) return played;
    played.device = device_memory(*there, variant.timeline, settings, asked_.others);
    played.excess = std::max(played.excess, played.device->high_bytes - *asked_.device_bytes);
    return played;
  }

  const Study& study_;
  const BudgetRequest& asked_;
  ParetoFront& archive_;
  const Progress& progress_;
  const OnPlan& on_plan_;
  SearchClock clock_;
  std::vector<ReservedPoint> known_;
  // The last budget for tensors at which the reserved memory of the cheapest plan fits, and the
  // last at which it does not fit.
  std::optional<std::int64_t> fits_;
  std::optional<std::int64_t> fails_;
};

}  // namespace

BudgetAnswer plan_for_reserved(const Study& study, const BudgetRequest& request,
                               ParetoFront& archive, const Progress& progress,
                               const OnPlan& on_plan) {
  return ReservedPlanner(study, request, archive, progress, on_plan).run();
}

}  // namespace stashscope
