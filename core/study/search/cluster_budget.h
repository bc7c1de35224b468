#pragma once

#include "core/study/search/budget.h"
#include "core/study/search/plan_evaluator.h"

namespace stashscope {

/// Options of a search by cluster.
struct ClusterSearch {
  PeakOf peak_of = PeakOf::step;  ///< the peak that the budget limits and that the points state
  std::vector<RecomputeConfig> starts = {};  ///< further configurations to start from
  /// Types of evicting plans that the search switches on and off, as it does recompute plans. If
  /// this list is empty, the evicting plans of the study's choices stay on; else the search drops
  /// them first.
  std::vector<PlanType> evictions = {};
};

/// Searches for the cheapest recompute plans by cluster (config strings) within a budget. Searches
/// nothing if the step without recompute plans is within the budget. First searches greedily from
/// below: adds the plans that free the most bytes at the peak for each second that they add, until
/// the budget is met. Then searches greedily from above: takes all plans and removes plans that the
/// budget does not need. Continues with simulated annealing over the counts. For a captured step,
/// also chooses regions by prices (region_prices.h), and takes turns between annealing and
/// exchanges of counts. Evicting plans stay as in the study's choices, unless `how.evictions` names
/// types. The end of the search drops plans that the budget does not need. This may go beyond the
/// limit: each round evaluates one configuration for each cluster that is on, and another round
/// follows whenever a cluster was dropped. If the study's offloads stay on, lowers their counts as
/// far as the host's memory requires.
/// If copies overlap and plans may offload tensors, searches twice: first as if nodes waited for
/// every copy, then with overlap, where the answer of the first search is a candidate. Each search
/// has all of the moves and half of the time. Plans take no more time with overlap than without, so
/// the answer is never more expensive than the answer of a search without overlap that makes as
/// many moves, unless overlap keeps too much on the host. Returns the number of evaluated
/// configurations; after two searches, the larger number.
/// @param base the study's choices, with any order; a point of `archive` is a copy of these choices
/// with other plans
/// @param archive receives every evaluated configuration that is on the Pareto front
std::int64_t search_clusters(const Study& study, const Choices& base, std::int64_t budget_bytes,
                             const SearchLimit& limit, const Progress& progress,
                             ParetoFront& archive, const OnPlan& on_plan,
                             const ClusterSearch& how = {});

/// The choices with the plans of `config`, without a level and without a planned sequence.
Choices with_clusters(Choices choices, const RecomputeConfig& config);

}  // namespace stashscope
