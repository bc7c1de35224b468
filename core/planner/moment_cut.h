#pragma once

#include "core/planner/cost_bound.h"
#include "core/schedule/minimal/minimum_cut.h"

namespace stashscope {

/// A lower bound on the cost that a sequence adds to the first runs of all tasks, for one price of
/// memory.
struct PricedBound {
  double extra_cost = 0;
  double slope = 0;  ///< of the bound at this price: the bytes that are live above the budget
};

/// The bound that follows from the first run of one task, as a minimum cut. On the source's side
/// are tasks that have run before, tasks that do not run afterwards, and items that no later run
/// reads. Keeps references to its arguments.
class MomentCut {
 public:
  MomentCut(const TaskGraph& graph, TaskId task, std::int64_t budget_bytes,
            const EvictionCosts& evictions);
  MomentCut(TaskGraph&&, TaskId, std::int64_t, const EvictionCosts&) = delete;

  /// Whether the items that the task reads and makes fit the budget. If not, no sequence meets the
  /// budget, and the bound grows with the price without end.
  bool fits() const { return beside_items_ <= 0; }

  /// @param price cost of a byte
  PricedBound at(double price) const;

 private:
  static constexpr std::size_t source = 0;
  static constexpr std::size_t sink = 1;

  void number_nodes();
  void add_task(MinimumCut& cut, TaskId task) const;
  void add_item(MinimumCut& cut, ItemId item, double price) const;
  std::int64_t weight(double cost) const;
  bool can_evict(TaskId task) const { return !evictions_.empty() && evictions_[task].has_value(); }

  const TaskGraph& graph_;
  TaskId task_;
  const EvictionCosts& evictions_;
  // Nodes of the network. If the side of a task or an item is known in advance, its node is the
  // source or the sink itself.
  std::size_t nodes_ = 2;
  IdVector<TaskId, std::size_t> has_run_;
  IdVector<TaskId, std::size_t> stays_;  ///< on the source's side: does not run afterwards
  /// On the source's side: the items of the task are held. The node of `stays_` if none of them can
  /// be evicted.
  IdVector<TaskId, std::size_t> are_held_;
  IdVector<ItemId, std::size_t> is_unread_;  ///< on the source's side: no later run reads it
  IdVector<ItemId, bool> counts_apart_;      ///< inputs that stay live while the task runs
  double scale_;                             ///< weight per unit of cost
  double most_weight_;
  /// The persistent bytes and the bytes of the task's items, minus the budget. Leaves out inputs
  /// whose memory the task may take over.
  double beside_items_;
};

}  // namespace stashscope
