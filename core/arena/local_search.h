#pragma once

#include <cstdint>
#include <vector>

#include "core/arena/arena.h"
#include "core/arena/greedy_fit.h"
#include "core/arena/sections.h"
#include "core/base/search_limit.h"

namespace stashscope {

/// A pass of greedy_fit.h.
using GreedyFit = decltype(&first_fit);

/// A placement that a pass made from an order.
struct OrderedPlacement {
  GreedyFit fit = nullptr;
  std::vector<int> order;
  ArenaPlacement placement;
};

/// Changes the order from which a pass made a placement: some of the buffers that end at the
/// highest offsets move towards the front. Keeps the new order if the capacity does not grow. This
/// is squeaky wheel optimization (Joslin, Clements, JAIR 10, 1999).
class LocalSearch {
 public:
  LocalSearch(const std::vector<ArenaBuffer>& buffers, const ArenaSections& sections,
              std::uint64_t seed)
      : buffers_(buffers), sections_(sections), random_(seed) {}

  /// One round; returns whether the capacity is lower than before. A stopped round changes nothing.
  bool improve(OrderedPlacement& current, std::int64_t goal, const StopsPass& stops);

 private:
  std::vector<int> moved_forward(const OrderedPlacement& current, std::int64_t goal);

  const std::vector<ArenaBuffer>& buffers_;
  const ArenaSections& sections_;
  SearchRandom random_;
};

}  // namespace stashscope
