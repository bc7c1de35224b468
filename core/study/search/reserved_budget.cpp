#include "core/study/search/reserved_budget.h"

#include <algorithm>

#include "core/study/reserved/reserved_memory.h"

namespace stashscope {

namespace {

constexpr int most_rounds = 5;

/// A plan with the memory that is reserved for it.
struct ReservedPoint {
  ParetoPoint point;
  std::int64_t reserved_bytes = 0;
};

ReservedPoint reserved_with(const Study& study, const ParetoPoint& point,
                            const AllocatorSettings& settings) {
  const auto there = compute_study(study.model, point.choices, &study, Progress());
  return {point, reserved_memory(*there, *there->current, settings).reserved_bytes};
}

/// The cheapest plan that fits when it is reserved; otherwise the one that reserves least.
/// @pre the archive is not empty
ReservedPoint best_reserved(const Study& study, const ParetoFront& archive, std::int64_t budget,
                            const AllocatorSettings& settings, const Progress& progress) {
  const std::vector<ParetoPoint>& points = archive.points();
  std::optional<ReservedPoint> least;
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (point->peak_bytes > budget && point + 1 != points.rend()) continue;
    if (least && progress.cancelled()) break;
    ReservedPoint tried = reserved_with(study, *point, settings);
    if (tried.reserved_bytes <= budget) return tried;
    if (!least || tried.reserved_bytes < least->reserved_bytes) least = std::move(tried);
  }
  return *least;
}

}  // namespace

BudgetAnswer plan_for_reserved(const Study& study, BudgetRequest request, ParetoFront& archive,
                               const Progress& progress, const OnPlan& on_plan) {
  const BudgetRequest asked = request;
  const AllocatorSettings settings = *request.allocator;
  request.allocator.reset();
  request.limit = share_of(request.limit, 1.0 / most_rounds);
  BudgetAnswer answer;
  for (int round = 0; round < most_rounds && request.budget_bytes > 0; ++round) {
    BudgetAnswer found = plan_for_budget(study, request, archive, progress, on_plan);
    const bool is_first = round == 0;
    if (is_first) answer = found;
    answer.moves += is_first ? 0 : found.moves;
    answer.seconds += is_first ? 0 : found.seconds;
    ReservedPoint best = best_reserved(study, archive, asked.budget_bytes, settings, progress);
    answer.best = std::move(best.point);
    answer.reserved_bytes = best.reserved_bytes;
    answer.feasible = best.reserved_bytes <= asked.budget_bytes;
    if (answer.feasible || !found.feasible || progress.cancelled()) break;
    const std::int64_t excess = best.reserved_bytes - asked.budget_bytes;
    request.budget_bytes = std::min(request.budget_bytes, answer.best.peak_bytes) - excess;
  }
  answer.request = asked;
  answer.later_peak_bytes = later_peak_bytes(study, answer.best);
  return answer;
}

}  // namespace stashscope
