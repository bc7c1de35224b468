#include "core/schedule/strategies.h"

namespace stashscope {

std::vector<NodeId> best_order(const OrderInput& input) {
  std::vector<NodeId> best;
  std::int64_t lowest = 0;
  for (const OrderStrategy& strategy : order_strategies()) {
    if (strategy.kind != OrderKind::rule) continue;
    std::vector<NodeId> order = strategy.order(input);
    const std::int64_t peak = make_timeline(input.dataflow, input.memory, order).peak_bytes;
    if (!best.empty() && peak >= lowest) continue;
    lowest = peak;
    best = std::move(order);
  }
  return best;
}

}  // namespace stashscope
