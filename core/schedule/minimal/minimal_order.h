#pragma once

#include <string_view>
#include <vector>

#include "core/schedule/minimal/anneal_order.h"
#include "core/schedule/tasks/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// An order of which each task runs once, with what is known of its peak.
struct OrderAnswer {
  std::vector<TaskId> order;
  std::int64_t peak_bytes = 0;
  std::int64_t bound_bytes = 0;  ///< no order is below
  std::string_view method;       ///< what found it, one clause

  bool is_proven() const { return peak_bytes == bound_bytes; }
  /// By how much a better order could be better at most, in shares of the bound.
  double gap() const;
};

/// The order of the lowest peak that is found from any of `starts`: exact by dynamic programming
/// where the graph has few downsets, else by annealing; the bound is a minimum cut, or the peak
/// itself where that is proven.
/// @param starts valid orders, at least one
OrderAnswer minimal_order(const TaskGraph& graph, const std::vector<std::vector<TaskId>>& starts,
                          const SearchLimit& limit, const Progress& progress,
                          const BetterSequence& on_better = {});

}  // namespace stashscope
