#include "core/schedule/tasks/task_graph.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"

namespace stashscope {

namespace {

/// For each task, the tasks that read its item (if `readers` is true) or that make its inputs, each
/// task once.
std::vector<std::vector<std::size_t>> neighbours(
    std::size_t tasks, const std::vector<std::pair<TaskId, TaskId>>& edges, bool readers) {
  std::vector<std::vector<std::size_t>> rows(tasks);
  for (const auto& [from, to] : edges) {
    rows[readers ? from.index() : to.index()].push_back(readers ? to.index() : from.index());
  }
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return rows;
}

}  // namespace

TaskGraph TaskGraph::of_single_outputs(const std::vector<std::int64_t>& cost,
                                       const std::vector<std::int64_t>& bytes,
                                       const std::vector<std::pair<TaskId, TaskId>>& edges) {
  const auto read = neighbours(cost.size(), edges, false);
  const auto readers = neighbours(cost.size(), edges, true);
  TaskGraph graph;
  for (std::size_t i = 0; i < cost.size(); ++i) {
    graph.cost.push_back(cost[i]);
    graph.bytes.push_back(bytes[i]);
    graph.maker.push_back(TaskId(i));
    graph.kept.push_back(false);
    graph.most_runs.push_back(unlimited_runs);
    graph.inputs.start_row();
    for (const std::size_t item : read[i]) graph.inputs.push(ItemId(item));
    graph.outputs.start_row();
    graph.outputs.push(ItemId(i));
    graph.readers.start_row();
    for (const std::size_t task : readers[i]) graph.readers.push({TaskId(task)});
  }
  return graph;
}

bool takes_over(const TaskGraph& graph, TaskId reader, ItemId item) {
  const auto readers = graph.readers[item];
  return std::any_of(readers.begin(), readers.end(), [&](const ItemReader& each) {
    return each.task == reader && each.takes_over;
  });
}

std::int64_t cost_of_all(const TaskGraph& graph) {
  return std::accumulate(graph.cost.begin(), graph.cost.end(), std::int64_t{0});
}

namespace {

/// Follows the copies of items through a sequence.
class CopyReplay {
 public:
  CopyReplay(const TaskGraph& graph, std::span<const TaskId> sequence)
      : graph_(graph),
        sequence_(sequence),
        made_(graph.items(), none),
        last_use_(graph.items(), 0),
        change_(sequence.size() + 1, 0) {
    for (std::size_t step = 0; step < sequence.size(); ++step) run(step);
    for (const ItemId item : IdRange<ItemId>(graph.items())) {
      if (made_[item] == none) fail_input(text(graph_.maker[item]), "is not in the sequence");
      if (!graph_.kept[item]) free_copy(item);
    }
  }

  /// Change of the live bytes when a slot starts.
  const std::vector<std::int64_t>& change() const { return change_; }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  static std::string text(TaskId task) { return "task " + std::to_string(task.index()); }

  void run(std::size_t step) {
    const TaskId task = sequence_[step];
    for (const ItemId item : graph_.inputs[task]) {
      if (made_[item] == none) {
        fail_input("slot " + std::to_string(step),
                   text(task) + " reads from " + text(graph_.maker[item]) + ", which has not run");
      }
      last_use_[item] = step;
    }
    for (const ItemId item : graph_.outputs[task]) {
      if (made_[item] != none) free_copy(item);
      made_[item] = step;
      last_use_[item] = step;
      change_[step] += graph_.bytes[item];
    }
  }

  void free_copy(ItemId item) {
    const std::size_t last = last_use_[item];
    const bool taken_over = last != made_[item] && takes_over(graph_, sequence_[last], item);
    change_[last + (taken_over ? 0 : 1)] -= graph_.bytes[item];
  }

  const TaskGraph& graph_;
  std::span<const TaskId> sequence_;
  IdVector<ItemId, std::size_t> made_;  // slot of the current copy
  IdVector<ItemId, std::size_t> last_use_;
  std::vector<std::int64_t> change_;
};

}  // namespace

SequenceMemory memory_of(const TaskGraph& graph, std::span<const TaskId> sequence) {
  const CopyReplay replay(graph, sequence);
  SequenceMemory memory;
  memory.live_bytes.reserve(sequence.size());
  memory.peak_bytes = graph.persistent_bytes;
  std::int64_t live = graph.persistent_bytes;
  for (std::size_t step = 0; step < sequence.size(); ++step) {
    memory.cost += graph.cost[sequence[step]];
    live += replay.change()[step];
    memory.live_bytes.push_back(live);
    if (live > memory.peak_bytes) {
      memory.peak_bytes = live;
      memory.peak_slot = step;
    }
  }
  return memory;
}

std::int64_t largest_task_bytes(const TaskGraph& graph) {
  std::int64_t largest = 0;
  for (const TaskId task : IdRange<TaskId>(graph.tasks())) {
    std::int64_t bytes = 0;
    for (const ItemId item : graph.outputs[task]) bytes += graph.bytes[item];
    for (const ItemId item : graph.inputs[task]) {
      if (!takes_over(graph, task, item)) bytes += graph.bytes[item];
    }
    largest = std::max(largest, bytes);
  }
  return graph.persistent_bytes + largest;
}

}  // namespace stashscope
