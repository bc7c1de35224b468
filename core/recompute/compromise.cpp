// Keeps the narrow source of a widening Cast instead of what was computed from it.

#include "core/recompute/search.h"

namespace stashscope {

namespace {

Findings find_compromises(const StrategyInput& input) {
  const SubgraphSearch search(input);
  Findings findings;
  for (const NodeId entry : search.entries()) {
    if (search.refusal(entry) || !search.widens(search.run(entry, false))) continue;
    const SearchResult result = search.run(entry, true);
    if (result.failed) continue;
    findings.plans.push_back(search.plan(entry, result, PlanType::compromise));
  }
  return findings;
}

}  // namespace

const Strategy compromise_strategy = {PlanType::compromise,
                                      "compromise",
                                      "keeps the narrow source of a widening Cast and computes "
                                      "from there",
                                      false,
                                      find_compromises,
                                      apply_subgraph,
                                      cost_of_subgraph};

}  // namespace stashscope
