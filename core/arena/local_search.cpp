#include "core/arena/local_search.h"

#include <algorithm>

namespace stashscope {

std::vector<int> LocalSearch::moved_forward(const OrderedPlacement& current, std::int64_t goal) {
  const auto above = static_cast<double>(current.placement.capacity - goal);
  const std::int64_t line = goal + static_cast<std::int64_t>(above * random_.unit());
  const double strength = random_.unit();
  std::vector<std::pair<double, int>> keys;
  for (std::size_t i = 0; i < current.order.size(); ++i) {
    const auto buffer = static_cast<std::size_t>(current.order[i]);
    const bool is_high = current.placement.offsets[buffer] + buffers_[buffer].bytes > line;
    const bool moves = is_high && random_.unit() < 0.75;
    keys.emplace_back(static_cast<double>(i) * (moves ? strength : 1), current.order[i]);
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<int> order;
  order.reserve(keys.size());
  for (const auto& [key, buffer] : keys) order.push_back(buffer);
  return order;
}

bool LocalSearch::improve(OrderedPlacement& current, std::int64_t goal, const StopsPass& stops) {
  std::vector<int> order = moved_forward(current, goal);
  std::vector<std::int64_t> offsets =
      current.fit(buffers_, sections_, order, current.placement.capacity, stops);
  if (offsets.empty()) return false;
  const std::int64_t capacity = capacity_of(buffers_, offsets);
  const bool is_better = capacity < current.placement.capacity;
  current.order = std::move(order);
  current.placement = {std::move(offsets), capacity};
  return is_better;
}

}  // namespace stashscope
