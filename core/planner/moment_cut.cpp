#include "core/planner/moment_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/schedule/minimal/order_bound.h"

namespace stashscope {

namespace {

// Weights are integers whose sums must not overflow. They are rounded down and capped, which only
// lowers the bound.
constexpr double most_sum = 0x1p60;
constexpr double most_scale = 64;

}  // namespace

MomentCut::MomentCut(const TaskGraph& graph, TaskId task, std::int64_t budget_bytes,
                     const EvictionCosts& evictions)
    : graph_(graph),
      task_(task),
      evictions_(evictions),
      has_run_(graph.tasks()),
      stays_(graph.tasks()),
      are_held_(graph.tasks()),
      is_unread_(graph.items()),
      counts_apart_(graph.items(), false),
      beside_items_(static_cast<double>(graph.persistent_bytes - budget_bytes)) {
  const double all = std::max(1.0, static_cast<double>(cost_of_all(graph)));
  scale_ = std::min(most_scale, most_sum / (4 * all));
  for (const ItemId item : graph.outputs[task]) {
    beside_items_ += static_cast<double>(graph.bytes[item]);
  }
  for (const ItemId item : graph.inputs[task]) {
    if (takes_over(graph, task, item)) continue;
    counts_apart_[item] = true;
    beside_items_ += static_cast<double>(graph.bytes[item]);
  }
  number_nodes();
  most_weight_ = most_sum / static_cast<double>(2 * graph.tasks() + graph.items());
}

/// All ancestors of the task have run before it, and no descendant has. Each task that has not run
/// before runs afterwards.
void MomentCut::number_nodes() {
  const auto before = ancestors_of(graph_, task_);
  const auto behind = descendants_of(graph_, task_);
  for (const TaskId task : IdRange<TaskId>(graph_.tasks())) {
    const bool is_later = task == task_ || behind[task];
    has_run_[task] = is_later ? sink : before[task] ? source : nodes_++;
    stays_[task] = is_later ? sink : nodes_++;
    are_held_[task] = can_evict(task) && !is_later ? nodes_++ : stays_[task];
  }
  for (const ItemId item : IdRange<ItemId>(graph_.items())) {
    is_unread_[item] = graph_.kept[item] ? sink : nodes_++;
  }
}

PricedBound MomentCut::at(double price) const {
  MinimumCut cut(nodes_);
  for (const TaskId task : IdRange<TaskId>(graph_.tasks())) add_task(cut, task);
  for (const ItemId item : IdRange<ItemId>(graph_.items())) add_item(cut, item, price);
  const auto least = static_cast<double>(cut.separate(source, sink));
  double live = beside_items_;
  for (const ItemId item : IdRange<ItemId>(graph_.items())) {
    const bool is_live =
        cut.is_before(are_held_[graph_.maker[item]]) && !cut.is_before(is_unread_[item]);
    if (is_live && !counts_apart_[item]) live += static_cast<double>(graph_.bytes[item]);
  }
  const double beside = price * beside_items_;
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::abs(beside);
  return {least / scale_ + beside - rounding, live};
}

void MomentCut::add_task(MinimumCut& cut, TaskId task) const {
  if (stays_[task] != sink) {
    const bool can_run_again = graph_.most_runs[task] > 1;
    const auto again = static_cast<double>(graph_.cost[task]);
    if (has_run_[task] != source) {
      cut.add_arc(stays_[task], has_run_[task], MinimumCut::unbounded);
    }
    cut.add_arc(has_run_[task], stays_[task],
                can_run_again ? weight(again) : MinimumCut::unbounded);
  }
  if (are_held_[task] != stays_[task]) {
    cut.add_arc(stays_[task], are_held_[task], weight(static_cast<double>(*evictions_[task])));
  }
  for (const ItemId item : graph_.inputs[task]) {
    const std::size_t maker = has_run_[graph_.maker[item]];
    if (has_run_[task] != sink && maker != source) {
      cut.add_arc(has_run_[task], maker, MinimumCut::unbounded);
    }
    const bool is_read = task != task_ || counts_apart_[item];
    if (is_read && is_unread_[item] != sink) {
      cut.add_arc(is_unread_[item], stays_[task], MinimumCut::unbounded);
    }
  }
}

/// An item that a later run reads costs the price of its bytes if it is held.
void MomentCut::add_item(MinimumCut& cut, ItemId item, double price) const {
  const std::size_t held = are_held_[graph_.maker[item]];
  if (counts_apart_[item] || held == sink) return;
  cut.add_arc(held, is_unread_[item], weight(price * static_cast<double>(graph_.bytes[item])));
}

std::int64_t MomentCut::weight(double cost) const {
  return static_cast<std::int64_t>(std::min(cost * scale_, most_weight_));
}

}  // namespace stashscope
