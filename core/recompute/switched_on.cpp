#include "core/recompute/switched_on.h"

#include <algorithm>

namespace stashscope {

bool is_switched_on(const PlanRow& row, const RecomputeConfig& config) {
  return std::ranges::all_of(row.entries, [&](const auto& entry) {
    const auto chosen = config.find(entry.first);
    return chosen != config.end() && chosen->second.type == entry.second.type &&
           chosen->second.count != 0;
  });
}

}  // namespace stashscope
