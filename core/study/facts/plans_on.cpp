#include "core/study/facts/plans_on.h"

#include <algorithm>
#include <unordered_set>

#include "core/recompute/apply.h"
#include "core/recompute/switched_on.h"
#include "core/study/facts/plan_facts.h"

namespace stashscope {

std::vector<std::size_t> plans_on(const Study& study, const RecomputeConfig& config) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < plan_rows(study); ++row) {
    if (is_switched_on(plan_row(study, row), config)) rows.push_back(row);
  }
  return rows;
}

std::vector<int> places_in_use(const Study& study, const RecomputeConfig& config,
                               const std::vector<std::size_t>& rows) {
  const std::vector<const NodePlan*> selected =
      select_plans(*study.opportunities, config, study.pinned);
  const std::unordered_set<const NodePlan*> applied(selected.begin(), selected.end());
  std::vector<int> places;
  for (const std::size_t row : rows) {
    const auto& occurrences = *plan_row(study, row).occurrences;
    places.push_back(static_cast<int>(std::ranges::count_if(occurrences, [&](const auto& each) {
      return std::ranges::all_of(each.parts,
                                 [&](const NodePlan* part) { return applied.contains(part); });
    })));
  }
  return places;
}

}  // namespace stashscope
