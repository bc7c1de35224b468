#include "core/planner/cost_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/schedule/minimal/order_bound.h"

namespace stashscope {

namespace {

/// The bound that follows from one running task, as a function of the price of memory.
class PricedCut {
 public:
  PricedCut(const TaskGraph& graph, TaskId task, std::int64_t budget_bytes)
      : graph_(graph),
        task_(task),
        scale_(std::min(64.0, most_sum / static_cast<double>(cost_of_all(graph)))),
        most_weight_(most_sum / static_cast<double>(graph.items())),
        weight_(graph.items(), 0) {
    std::int64_t made = 0;
    for (const ItemId item : graph.outputs[task]) made += graph.bytes[item];
    beside_items_ = static_cast<double>(graph.persistent_bytes + made - budget_bytes);
  }

  /// Lower bound on the extra cost. @param price cost of a byte
  double extra_cost_at(double price) {
    for (const ItemId item : IdRange<ItemId>(graph_.items())) {
      double weight = price * static_cast<double>(graph_.bytes[item]);
      if (graph_.most_runs[graph_.maker[item]] > 1) weight = std::min(weight, cost_share(item));
      weight_[item] = static_cast<std::int64_t>(std::min(weight * scale_, most_weight_));
    }
    const auto cut = static_cast<double>(least_cut_at(graph_, task_, weight_).weight);
    return cut / scale_ + price * beside_items_;
  }

 private:
  // Weights are integers whose sums must not overflow. They are rounded down and capped, which only
  // lowers the bound.
  static constexpr double most_sum = 0x1p60;

  /// The part of the maker's cost that is assigned to this item, in proportion to the bytes of the
  /// maker's items.
  double cost_share(ItemId item) const {
    std::int64_t all = 0;
    for (const ItemId each : graph_.outputs[graph_.maker[item]]) all += graph_.bytes[each];
    const double share =
        all == 0 ? 0 : static_cast<double>(graph_.bytes[item]) / static_cast<double>(all);
    return share * static_cast<double>(graph_.cost[graph_.maker[item]]);
  }

  const TaskGraph& graph_;
  TaskId task_;
  double scale_;  ///< weight per unit of cost
  double most_weight_;
  IdVector<ItemId, std::int64_t> weight_;
  double beside_items_;
};

constexpr std::size_t prices_tried = 16;

/// The best bound over all prices. The bound is concave in the price, so golden-section search
/// (over the logarithm of the price) finds the maximum.
double best_over_prices(PricedCut& cut, double least, double most) {
  constexpr double section = 0.6180339887498949;
  double low = std::log(least);
  double high = std::log(most);
  double best = 0;
  const auto value = [&](double log_price) {
    const double extra = cut.extra_cost_at(std::exp(log_price));
    best = std::max(best, extra);
    return extra;
  };
  double left = high - section * (high - low);
  double right = low + section * (high - low);
  double at_left = value(left);
  double at_right = value(right);
  for (std::size_t tried = 2; tried < prices_tried; ++tried) {
    if (at_left < at_right) {
      low = left;
      left = right;
      at_left = at_right;
      right = low + section * (high - low);
      at_right = value(right);
    } else {
      high = right;
      right = left;
      at_right = at_left;
      left = high - section * (high - low);
      at_left = value(left);
    }
  }
  return best;
}

/// The smallest and largest cost per byte over all items.
std::pair<double, double> price_range(const TaskGraph& graph) {
  double least = std::numeric_limits<double>::max();
  double most = 0;
  for (const ItemId item : IdRange<ItemId>(graph.items())) {
    const std::int64_t cost = graph.cost[graph.maker[item]];
    if (graph.bytes[item] == 0 || cost == 0) continue;
    const double price = static_cast<double>(cost) / static_cast<double>(graph.bytes[item]);
    least = std::min(least, price);
    most = std::max(most, price);
  }
  return {least, most};
}

}  // namespace

std::int64_t recompute_cost_bound(const TaskGraph& graph, std::span<const TaskId> order,
                                  std::int64_t budget_bytes, const SearchLimit& limit,
                                  const Progress& progress) {
  const auto [least, most] = price_range(graph);
  double extra = 0;
  if (most > 0) {
    const SequenceMemory memory = memory_of(graph, order);
    const SearchClock clock(limit, progress);
    std::int64_t moves = 0;
    const auto moves_of_a_task =
        static_cast<std::int64_t>(prices_tried * (graph.tasks() + graph.items()));
    for (const std::size_t slot : slots_by_live_bytes(memory)) {
      if (memory.live_bytes[slot] <= budget_bytes || clock.used(moves) >= 1) break;
      moves += moves_of_a_task;
      PricedCut cut(graph, order[slot], budget_bytes);
      extra = std::max(extra, best_over_prices(cut, least, most));
    }
  }
  // Costs are integers, so the bound rounds up; a small tolerance covers rounding errors.
  return cost_of_all(graph) + static_cast<std::int64_t>(std::ceil(extra * (1 - 1e-9) - 1e-6));
}

}  // namespace stashscope
