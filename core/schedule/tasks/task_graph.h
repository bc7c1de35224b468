#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/id.h"

namespace stashscope {

using TaskId = Id<struct TaskTag>;
using ItemId = Id<struct ItemTag>;

constexpr std::uint32_t unlimited_runs = static_cast<std::uint32_t>(-1);

/// A task that reads an item.
struct ItemReader {
  TaskId task;
  bool takes_over = false;  ///< an output of the task lives in the item's memory if it dies there
};

/// A step as searches see it: tasks that run, at a cost, and items of memory that they make and
/// read. What lives for the whole step is summed up in `persistent_bytes`.
///
/// A sequence of tasks is valid when each task is in it, and when each reads items that were made
/// before. A task that runs again makes its items again: readers behind it read the new copies. An
/// item is allocated when its task starts, while everything the task reads is still there; a copy
/// is freed behind its last reader, at once without one.
struct TaskGraph {
  IdVector<TaskId, std::int64_t> cost;
  IdRows<TaskId, ItemId> inputs;  ///< each item once
  IdRows<TaskId, ItemId> outputs;
  IdVector<ItemId, std::int64_t> bytes;
  IdVector<ItemId, TaskId> maker;
  IdRows<ItemId, ItemReader> readers;
  IdVector<ItemId, bool> kept;                ///< the last copy is there until the end
  IdVector<TaskId, std::uint32_t> most_runs;  ///< how often a task may run; 1: once
  std::int64_t persistent_bytes = 0;

  std::size_t tasks() const { return cost.size(); }
  std::size_t items() const { return bytes.size(); }

  /// Each task makes one item. @param edges from the maker of an item to a reader, repeats allowed;
  /// the tasks are in a valid order
  static TaskGraph of_single_outputs(const std::vector<std::int64_t>& cost,
                                     const std::vector<std::int64_t>& bytes,
                                     const std::vector<std::pair<TaskId, TaskId>>& edges);
};

/// Whether an output of the task can live in the memory of an item that it reads.
bool takes_over(const TaskGraph& graph, TaskId reader, ItemId item);

/// The cost of each task once.
std::int64_t cost_of_all(const TaskGraph& graph);

/// What a sequence needs.
struct SequenceMemory {
  std::int64_t cost = 0;
  std::vector<std::int64_t> live_bytes;  ///< by step, persistent ones included
  std::int64_t peak_bytes = 0;
  std::size_t peak_slot = 0;
};

/// Throws an input Error that names the step when the sequence is not valid.
SequenceMemory memory_of(const TaskGraph& graph, std::span<const TaskId> sequence);

/// The most bytes that any single task needs: what it reads and makes. No sequence is below.
std::int64_t largest_task_bytes(const TaskGraph& graph);

}  // namespace stashscope
