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
  /// How many of them come before a slot.
  std::size_t before(std::uint32_t slot) const {
    std::size_t run = count;
    while (run > 0 && slots[run - 1] >= slot) --run;
    return run;
  }
  void insert(std::uint32_t slot);
  void erase(std::size_t run);
};

/// A valid sequence of a task graph that searches change step by step, with its cost and peak known
/// after every change. Runs lie in slots, about half of which are empty, so that most changes move
/// nothing else. Changes since the last `keep` can be taken back.
class RunSequence {
 public:
  /// @pre the sequence is valid and runs no task more often than Runs::most
  RunSequence(const TaskGraph& graph, std::span<const TaskId> sequence);
  RunSequence(TaskGraph&& graph, std::span<const TaskId> sequence) = delete;

  const TaskGraph& graph() const { return *graph_; }
  std::int64_t cost() const { return cost_; }
  std::int64_t peak_bytes() const { return graph_->persistent_bytes + live_.largest(); }
  std::uint32_t peak_slot() const { return static_cast<std::uint32_t>(live_.largest_step()); }
  std::vector<TaskId> sequence() const;

  std::uint32_t slots() const { return static_cast<std::uint32_t>(task_in_.size()); }
  TaskId task_in(std::uint32_t slot) const { return task_in_[slot]; }
  const Runs& runs(TaskId task) const { return runs_[task]; }
  /// Tasks that run more than once, in no order.
  const std::vector<TaskId>& repeated() const { return repeated_; }

  bool can_repeat(TaskId task) const {
    return !runs_[task].is_full() && runs_[task].count < graph_->most_runs[task];
  }
  /// Whether the copy of an item that is current in front of `slot` lives there anyway.
  bool is_alive(ItemId item, std::uint32_t slot) const;
  /// Behind the copy that is current in front of `slot`: the next slot that reads it, or `slots()`.
  std::uint32_t next_read(ItemId item, std::uint32_t slot) const;

  /// The slots between which a run may lie, without these themselves, when other runs stay.
  struct Room {
    std::uint32_t behind;  ///< `before_all` when it may be the first
    std::uint32_t in_front_of;
  };
  static constexpr std::uint32_t before_all = static_cast<std::uint32_t>(-1);
  Room room(TaskId task, std::size_t run) const;
  /// The slot behind which a task can run again, with each input made before.
  std::uint32_t earliest_repeat(TaskId task) const;
  /// Whether anything reads what a run makes.
  bool is_read(TaskId task, std::size_t run) const;
  /// Whether another run makes this one superfluous for all readers.
  bool can_remove(TaskId task, std::size_t run) const;

  /// @pre the slots that are new are empty, and the sequence stays valid
  void change(TaskId task, const Runs& runs);

  void keep();
  void undo();
  /// Spreads the runs evenly again. @pre nothing is left to keep or undo
  void respace();
  /// Whether empty slots have become rare.
  bool is_crowded() const { return 10 * run_count_ > 7 * slots(); }

 private:
  /// Where an item is alive: [bounds[0], bounds[1]), [bounds[2], bounds[3]), ...
  struct Coverage {
    std::uint32_t count = 0;
    std::array<std::uint32_t, 2 * Runs::most> bounds{};
  };

  void load(std::span<const TaskId> sequence);
  Coverage coverage_of(ItemId item) const;
  void refresh(ItemId item);
  /// Whether the end of a copy can depend on these runs of a reader, as they were or as they are.
  bool decides_end(ItemId item, const Runs& old, const Runs& now) const;
  void move_coverage(ItemId item, const Coverage& coverage);
  void place(TaskId task, const Runs& runs);
  void note_repeats(TaskId task);

  const TaskGraph* graph_;
  std::vector<TaskId> task_in_;  ///< by slot; invalid: empty
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
