#include "core/memory/step_peak.h"
#include "core/schedule/orders/strategies.h"

namespace stashscope {

std::vector<NodeId> best_order(const OrderInput& input) {
  StepPeak peaks(input.dataflow, input.memory);
  std::vector<NodeId> best;
  std::int64_t lowest = 0;
  for (const OrderStrategy& strategy : order_strategies()) {
    if (strategy.kind != OrderKind::rule) continue;
    std::vector<NodeId> order = strategy.order(input);
    const std::int64_t peak = peaks.of(order);
    if (!best.empty() && peak >= lowest) continue;
    lowest = peak;
    best = std::move(order);
  }
  return best;
}

}  // namespace stashscope
