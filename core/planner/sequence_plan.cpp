#include "core/planner/sequence_plan.h"

#include <algorithm>

#include "core/planner/cost_bound.h"
#include "core/planner/peak_lower_bound.h"
#include "core/schedule/minimal/minimal_order.h"

namespace stashscope {

SequencePlan plan_sequence(const TaskGraph& graph, const std::vector<std::vector<TaskId>>& starts,
                           std::int64_t budget_bytes, const RecomputeRules& rules,
                           const SearchLimit& limit, const Progress& progress,
                           const BetterSequence& on_better) {
  const SearchClock clock(limit, progress);
  SequencePlan plan;
  plan.cost_bound = cost_of_all(graph);
  const std::vector<TaskId> order =
      rules.keeps_order ? starts[0]
                        : minimal_order(graph, starts, share_of(limit, 0.1), progress).order;
  plan.peak_lower_bound =
      recompute_peak_lower_bound(graph, order, share_of(limit, 0.02), progress).bytes;
  const std::int64_t peak = memory_of(graph, order).peak_bytes;
  plan.found = {order, plan.cost_bound, peak, peak <= budget_bytes};
  if (plan.found.feasible) {
    if (on_better) on_better(plan.found.sequence);
    return plan;
  }
  plan.cost_bound =
      recompute_cost_bound(graph, order, budget_bytes, share_of(limit, 0.05), progress);
  plan.found = search_recompute(graph, order, budget_bytes, rules,
                                rest_of(limit, share_of(limit, 0.85), clock), progress, on_better);
  return plan;
}

}  // namespace stashscope
