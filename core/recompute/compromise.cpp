// Stashes the narrow input of a widening Cast, and recomputes the activations after the Cast from
// this input.

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
                                      "stashes the narrow input of a widening Cast and recomputes "
                                      "activations from this input",
                                      false,
                                      find_compromises,
                                      apply_subgraph,
                                      cost_of_subgraph};

}  // namespace stashscope
