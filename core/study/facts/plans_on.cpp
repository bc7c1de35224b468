#include "core/study/facts/plans_on.h"

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

}  // namespace stashscope
