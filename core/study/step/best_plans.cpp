#include "core/study/step/best_plans.h"

namespace stashscope {

std::map<NodeId, PlanPlace> best_plans(const Study& study) {
  std::map<NodeId, PlanPlace> best;
  const auto rank = [](const PlanRow& row) {
    return std::pair(row.type == PlanType::recompute, row.saving_bytes);
  };
  for (const PlanRow& row : study.plan_table->plans) {
    for (const Occurrence& each : *row.occurrences) {
      PlanPlace& known = best[each.parts.front()->node];
      if (known.row == nullptr || rank(row) > rank(*known.row)) known = {&row, &each};
    }
  }
  return best;
}

}  // namespace stashscope
