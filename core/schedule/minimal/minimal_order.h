#pragma once

#include <string_view>
#include <vector>

#include "core/base/search_limit.h"
#include "core/schedule/minimal/anneal_order.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// An order in which each task runs once, with a lower bound on the peak of all orders.
struct OrderAnswer {
  std::vector<TaskId> order;
  std::int64_t peak_bytes = 0;
  std::int64_t bound_bytes = 0;  ///< lower bound on the peak of any order
  std::string_view method;       ///< the method that found the order, as one clause

  bool is_proven() const { return peak_bytes == bound_bytes; }
  /// Largest possible improvement, as a share of the bound.
  double gap() const;
};

/// The order with the lowest peak that the search finds. Begins with the best order among `starts`
/// and those of list scheduling. Then searches for a better order, by exact dynamic programming if
/// the graph has few downsets, otherwise by annealing. The bound comes from minimum cuts, or is the
/// peak itself if the peak is proven minimal.
/// @param starts valid orders, at least one
OrderAnswer minimal_order(const TaskGraph& graph, const std::vector<std::vector<TaskId>>& starts,
                          const SearchLimit& limit, const Progress& progress,
                          const BetterSequence& on_better = {});

}  // namespace stashscope
