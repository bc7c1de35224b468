// Recomputes stashed outputs from values that backward has anyway.

#include "core/recompute/search.h"

namespace stashscope {

namespace {

Findings find_recomputes(const StrategyInput& input) {
  const SubgraphSearch search(input);
  Findings findings;
  for (const NodeId entry : search.entries()) {
    if (auto refusal = search.refusal(entry)) {
      findings.obstacles.push_back(*std::move(refusal));
      continue;
    }
    const SearchResult result = search.run(entry, false);
    if (result.failed) {
      findings.obstacles.push_back(result.obstacle);
    } else {
      findings.plans.push_back(search.plan(entry, result, PlanType::recompute));
    }
  }
  return findings;
}

}  // namespace

const Strategy recompute_strategy = {PlanType::recompute,
                                     "recompute",
                                     "recomputes activations in the backward pass",
                                     false,
                                     find_recomputes,
                                     apply_subgraph,
                                     cost_of_subgraph};

}  // namespace stashscope
