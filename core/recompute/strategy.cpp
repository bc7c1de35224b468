#include "core/recompute/strategy.h"

#include <array>

namespace stashscope {

std::span<const Strategy> strategies() {
  static const std::array<Strategy, 5> all = {recompute_strategy, compromise_strategy,
                                              offload_strategy, compress_strategy, region_strategy};
  return all;
}

const Strategy& strategy_of(PlanType type) {
  return strategies()[static_cast<std::size_t>(type) - 1];
}

}  // namespace stashscope
