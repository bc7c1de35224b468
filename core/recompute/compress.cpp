// Stores a stashed float32 tensor in a narrower floating-point type.

#include <algorithm>

#include "core/recompute/dataflow_builder.h"
#include "core/recompute/evict.h"

namespace stashscope {

namespace {

/// Whether the result of every reader changes little if the tensor is stored in 8 bits.
bool tolerate_float8(const StrategyInput& input, const StashedBuffer& buffer) {
  return std::all_of(buffer.readers.begin(), buffer.readers.end(), [&](NodeId reader) {
    const Op* const op = input.ops[reader];
    return op != nullptr && op->tolerates_float8;
  });
}

Findings find_compressions(const StrategyInput& input) {
  const ElementType narrow = input.search.compressed;
  Findings findings;
  for (const StashedBuffer& buffer : stashed_buffers(input)) {
    if (input.graph.value(buffer.root).type.element != ElementType::float32) continue;
    if (bits_per_element(narrow) == 8 && !tolerate_float8(input, buffer)) continue;
    NodePlan plan = eviction_plan(input.graph, buffer, PlanType::compress);
    plan.kept_as = narrow;
    plan.save_ratio = Rational(1) - Rational::ratio(bits_per_element(narrow), 32);
    findings.plans.push_back(std::move(plan));
  }
  return findings;
}

void apply_compression(const NodePlan& plan, DataflowBuilder& builder) {
  const StoredForm narrow{plan.kept_as, Rational(1) - plan.save_ratio};
  builder.evict(plan, {AddedKind::compress, narrow}, AddedKind::decompress);
}

/// The cost of one conversion in each direction.
PlanCost compression_cost(const NodePlan& plan, const PlanCostInput& input) {
  const auto wide = static_cast<double>(evicted_bytes(plan, input));
  const double narrow = wide * bits_per_element(plan.kept_as) / 32;
  return {input.rates.times(2 * wide / sizeof(float)), 0,
          2 * input.rates.kernel_seconds(wide + narrow)};
}

}  // namespace

const Strategy compress_strategy = {PlanType::compress,
                                    "compress",
                                    "stores float32 activations in a narrower type",
                                    true,
                                    find_compressions,
                                    apply_compression,
                                    compression_cost};

}  // namespace stashscope
