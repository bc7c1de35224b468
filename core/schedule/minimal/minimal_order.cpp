#include "core/schedule/minimal/minimal_order.h"

#include <algorithm>

#include "core/schedule/minimal/exact_order.h"
#include "core/schedule/minimal/list_orders.h"
#include "core/schedule/minimal/order_bound.h"

namespace stashscope {

namespace {

/// Bounds the memory of the exact search, which keeps every set it has visited.
SearchLimit limit_of_sets(const TaskGraph& graph, const SearchLimit& limit) {
  constexpr std::int64_t most_sets = 500'000;
  constexpr std::int64_t most_words = 20'000'000;
  SearchLimit part = share_of(limit, 0.3);
  const std::int64_t fitting = most_words / (static_cast<std::int64_t>(graph.tasks()) / 64 + 1);
  part.moves = std::min(most_sets, fitting);
  if (limit.moves > 0) part.moves = std::min(part.moves, limit.moves);
  return part;
}

std::vector<TaskId> lowest(const TaskGraph& graph, std::vector<std::vector<TaskId>> orders) {
  orders.push_back(forward_list_order(graph));
  orders.push_back(backward_list_order(graph));
  return *std::min_element(orders.begin(), orders.end(), [&](const auto& a, const auto& b) {
    return memory_of(graph, a).peak_bytes < memory_of(graph, b).peak_bytes;
  });
}

}  // namespace

double OrderAnswer::gap() const {
  if (bound_bytes <= 0) return 0;
  return static_cast<double>(peak_bytes - bound_bytes) / static_cast<double>(bound_bytes);
}

OrderAnswer minimal_order(const TaskGraph& graph, const std::vector<std::vector<TaskId>>& starts,
                          const SearchLimit& limit, const Progress& progress,
                          const BetterSequence& on_better) {
  const SearchClock clock(limit, progress);
  OrderAnswer answer;
  const auto take = [&](std::vector<TaskId> order, std::string_view method) {
    answer.order = std::move(order);
    answer.peak_bytes = memory_of(graph, answer.order).peak_bytes;
    answer.method = method;
    if (on_better) on_better(answer.order);
  };
  take(lowest(graph, starts), "the best of the given orders and list scheduling from both ends");
  answer.bound_bytes = order_bound(graph, answer.order, share_of(limit, 0.1), progress);
  if (answer.is_proven()) return answer;
  const SearchLimit sets = limit_of_sets(graph, limit);
  if (auto exact = exact_order(graph, answer.bound_bytes, sets, progress)) {
    take(std::move(*exact), "exact: dynamic programming over downsets");
    answer.bound_bytes = answer.peak_bytes;
    return answer;
  }
  const SearchLimit annealing = rest_of(share_of(limit, 0.95), share_of(limit, 0.7), clock);
  auto annealed =
      anneal_order(graph, answer.order, answer.bound_bytes, annealing, progress, on_better);
  if (memory_of(graph, annealed).peak_bytes < answer.peak_bytes) {
    take(std::move(annealed), "simulated annealing");
  }
  const SearchLimit proving = rest_of(limit, share_of(limit, 0.1), clock);
  answer.bound_bytes =
      std::max(answer.bound_bytes, order_bound(graph, answer.order, proving, progress));
  return answer;
}

}  // namespace stashscope
