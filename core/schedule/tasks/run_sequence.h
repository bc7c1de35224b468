#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/schedule/tasks/prefix_max_tree.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// The slots in which a task runs, ascending.
struct Runs {
  static constexpr std::size_t most = 6;
  std::uint32_t count = 0;
  std::array<std::uint32_t, most> slots{};

  std::uint32_t first() const { return slots[0]; }
  bool is_full() const { return count == most; }
  /// Number of runs before a slot.
  std::size_t before(std::uint32_t slot) const {
    std::size_t run = count;
    while (run > 0 && slots[run - 1] >= slot) --run;
    return run;
  }
  void insert(std::uint32_t slot);
  void erase(std::size_t run);
};

/// A valid sequence of a task graph for local search, with cost and peak known after each change.
/// Runs lie in slots. About half of the slots are empty, so that most changes move no other runs.
/// Changes since the last `keep` can be undone.
class RunSequence {
 public:
  /// @pre the sequence is valid and runs no task more often than Runs::most
  RunSequence(const TaskGraph& graph, std::span<const TaskId> sequence);
  RunSequence(TaskGraph&& graph, std::span<const TaskId> sequence) = delete;

  const TaskGraph& graph() const { return *graph_; }
  std::int64_t cost() const { return cost_; }
  std::int64_t peak_bytes() const { return graph_->persistent_bytes + live_.largest(); }
  std::uint32_t peak_slot() const { return static_cast<std::uint32_t>(live_.largest_slot()); }
  std::vector<TaskId> sequence() const;

  std::uint32_t slots() const { return static_cast<std::uint32_t>(task_in_.size()); }
  TaskId task_in(std::uint32_t slot) const { return task_in_[slot]; }
  const Runs& runs(TaskId task) const { return runs_[task]; }
  /// Tasks that run more than once, in no particular order.
  const std::vector<TaskId>& repeated() const { return repeated_; }

  bool can_repeat(TaskId task) const {
    return !runs_[task].is_full() && runs_[task].count < graph_->most_runs[task];
  }
  /// Whether a copy of an item is alive in `slot`.
  bool is_alive(ItemId item, std::uint32_t slot) const;
  /// The first slot at or after `slot` in which a task reads the item; `slots()` if there is none.
  std::uint32_t next_read(ItemId item, std::uint32_t slot) const;

  /// The open interval of slots in which a run may lie while all other runs keep their slots.
  struct Room {
    std::uint32_t behind;       ///< slot before the interval; `before_all`: the run may come first
    std::uint32_t in_front_of;  ///< slot after the interval
  };
  static constexpr std::uint32_t before_all = static_cast<std::uint32_t>(-1);
  Room room(TaskId task, std::size_t run) const;
  /// The slot after which a task can run again, because it has run before and all its inputs have
  /// been made.
  std::uint32_t earliest_repeat(TaskId task) const;
  /// Whether any run reads an output of this run, or this run makes the copy of an output that
  /// lives until the end.
  bool is_read(TaskId task, std::size_t run) const;
  /// Whether all readers of this run can read from another run instead.
  bool can_remove(TaskId task, std::size_t run) const;

  /// Changes the slots of a task. @pre new slots are empty, and the sequence stays valid
  void change(TaskId task, const Runs& runs);

  void keep();
  void undo();
  /// Spreads the runs evenly again. @pre no changes since the last keep or undo
  void respace();
  /// Whether empty slots are rare.
  bool is_crowded() const { return 10 * run_count_ > 7 * slots(); }

 private:
  /// Slots in which an item is alive: [bounds[0], bounds[1]), [bounds[2], bounds[3]), ...
  struct Coverage {
    std::uint32_t count = 0;
    std::array<std::uint32_t, 2 * Runs::most> bounds{};
  };

  void load(std::span<const TaskId> sequence);
  Coverage coverage_of(ItemId item) const;
  void refresh(ItemId item);
  /// Whether the end of a copy can depend on the old or new runs of a reader.
  bool decides_end(ItemId item, const Runs& old, const Runs& now) const;
  void move_coverage(ItemId item, const Coverage& coverage);
  void place(TaskId task, const Runs& runs);
  void note_repeats(TaskId task);

  const TaskGraph* graph_;
  std::vector<TaskId> task_in_;  ///< task in each slot; invalid: the slot is empty
  IdVector<TaskId, Runs> runs_;
  IdVector<ItemId, Coverage> coverage_;
  PrefixMaxTree live_;
  std::int64_t cost_ = 0;
  std::size_t run_count_ = 0;
  std::vector<TaskId> repeated_;
  IdVector<TaskId, std::uint32_t> place_in_repeated_;
  std::vector<std::pair<TaskId, Runs>> old_runs_;
  std::vector<std::pair<ItemId, Coverage>> old_coverage_;
};

}  // namespace stashscope
