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
  bool takes_over = false;  ///< if the item dies at this task, an output uses the item's memory
};

/// A step as a search problem: tasks that run at a cost, and items of memory that they make and
/// read. `persistent_bytes` sums up all persistent buffers.
///
/// A sequence of tasks is valid if it contains each task, and each task reads only items made
/// before. When a task runs again, it makes new copies of its items, and later readers read the new
/// copies. An item is allocated when its task starts, while all inputs of the task are still live.
/// A copy is freed after its last reader, or after its maker if nothing reads it.
struct TaskGraph {
  IdVector<TaskId, std::int64_t> cost;
  IdRows<TaskId, ItemId> inputs;  ///< each item once
  IdRows<TaskId, ItemId> outputs;
  IdVector<ItemId, std::int64_t> bytes;
  IdVector<ItemId, TaskId> maker;
  IdRows<ItemId, ItemReader> readers;
  IdVector<ItemId, bool> kept;                ///< the last copy lives until the end
  IdVector<TaskId, std::uint32_t> most_runs;  ///< how often a task may run
  std::int64_t persistent_bytes = 0;

  std::size_t tasks() const { return cost.size(); }
  std::size_t items() const { return bytes.size(); }

  /// A graph in which each task makes one item.
  /// @param edges pairs of maker and reader of an item; repeats allowed
  /// @pre the task numbers are a valid order
  static TaskGraph of_single_outputs(const std::vector<std::int64_t>& cost,
                                     const std::vector<std::int64_t>& bytes,
                                     const std::vector<std::pair<TaskId, TaskId>>& edges);
};

/// Whether an output of the task can use the memory of an item that the task reads.
bool takes_over(const TaskGraph& graph, TaskId reader, ItemId item);

/// The cost of running each task once.
std::int64_t cost_of_all(const TaskGraph& graph);

/// The cost and memory of a sequence.
struct SequenceMemory {
  std::int64_t cost = 0;
  std::vector<std::int64_t> live_bytes;  ///< live bytes by slot, including persistent bytes
  std::int64_t peak_bytes = 0;
  std::size_t peak_slot = 0;
};

/// Throws an input Error that names the slot or the task if the sequence is not valid.
SequenceMemory memory_of(const TaskGraph& graph, std::span<const TaskId> sequence);

/// The persistent bytes plus the most bytes that one task reads and makes: a lower bound on the
/// peak of every sequence.
std::int64_t largest_task_bytes(const TaskGraph& graph);

}  // namespace stashscope
