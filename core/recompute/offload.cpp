// Copies a stashed tensor to the host after its last use in forward, and back before its first use
// in backward.

#include "core/recompute/dataflow_builder.h"
#include "core/recompute/evict.h"

namespace stashscope {

namespace {

Findings find_offloads(const StrategyInput& input) {
  Findings findings;
  for (const StashedBuffer& buffer : stashed_buffers(input)) {
    findings.plans.push_back(eviction_plan(input.graph, buffer, PlanType::offload));
  }
  return findings;
}

void apply_offload(const NodePlan& plan, DataflowBuilder& builder) {
  builder.evict(plan, {AddedKind::offload, {ElementType::undefined, 0}}, AddedKind::fetch);
}

PlanCost offload_cost(const NodePlan& plan, const PlanCostInput& input) {
  const std::int64_t bytes = 2 * evicted_bytes(plan, input);
  return {0, input.rates.runs * bytes, input.rates.transfer_seconds(static_cast<double>(bytes))};
}

}  // namespace

const Strategy offload_strategy = {PlanType::offload,
                                   "offload",
                                   "keeps activations in host memory until the backward pass "
                                   "reads them",
                                   false,
                                   find_offloads,
                                   apply_offload,
                                   offload_cost};

}  // namespace stashscope
