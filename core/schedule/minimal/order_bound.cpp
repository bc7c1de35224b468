#include "core/schedule/minimal/order_bound.h"

#include <algorithm>
#include <numeric>

#include "core/schedule/minimal/minimum_cut.h"

namespace stashscope {

namespace {

/// The direction in which `reached_from` walks from a task: to all tasks on which the task depends,
/// or to all tasks that depend on the task. The result does not include the task itself.
enum class Direction : std::uint8_t { ancestors, descendants };

IdVector<TaskId, bool> reached_from(const TaskGraph& graph, TaskId task, Direction direction) {
  IdVector<TaskId, bool> reached(graph.tasks(), false);
  std::vector<TaskId> open = {task};
  const auto reach = [&](TaskId next) {
    if (reached[next]) return;
    reached[next] = true;
    open.push_back(next);
  };
  while (!open.empty()) {
    const TaskId at = open.back();
    open.pop_back();
    if (direction == Direction::ancestors) {
      for (const ItemId item : graph.inputs[at]) reach(graph.maker[item]);
      continue;
    }
    for (const ItemId item : graph.outputs[at]) {
      for (const ItemReader& reader : graph.readers[item]) reach(reader.task);
    }
  }
  return reached;
}

/// Tasks on the source side have run. An item is cut if its maker has run, and if the item is kept
/// or one of its readers has not run.
class CutBuilder {
 public:
  CutBuilder(const TaskGraph& graph, TaskId task, const IdVector<ItemId, std::int64_t>& weight)
      : graph_(graph), task_(task), cut_(2 + graph.tasks() + graph.items()) {
    const auto before = ancestors_of(graph, task);
    const auto behind = descendants_of(graph, task);
    for (const TaskId each : IdRange<TaskId>(graph.tasks())) {
      if (before[each]) cut_.add_arc(source, node(each), MinimumCut::unbounded);
      if (behind[each] || each == task) cut_.add_arc(node(each), sink, MinimumCut::unbounded);
      for (const ItemId item : graph.inputs[each]) {
        cut_.add_arc(node(each), node(graph.maker[item]), MinimumCut::unbounded);
      }
    }
    for (const ItemId item : IdRange<ItemId>(graph.items())) add_item(item, weight[item]);
  }

  LeastCut separate() {
    LeastCut least{cut_.separate(source, sink), {}};
    for (const ItemId item : IdRange<ItemId>(graph_.items())) {
      const bool has_run = cut_.is_before(node(graph_.maker[item]));
      if (has_run && !cut_.is_before(node(item))) least.items.push_back(item);
    }
    return least;
  }

 private:
  static constexpr std::size_t source = 0;
  static constexpr std::size_t sink = 1;
  std::size_t node(TaskId task) const { return 2 + task.index(); }
  std::size_t node(ItemId item) const { return 2 + graph_.tasks() + item.index(); }

  void add_item(ItemId item, std::int64_t weight) {
    cut_.add_arc(node(graph_.maker[item]), node(item), weight);
    if (graph_.kept[item]) cut_.add_arc(node(item), sink, MinimumCut::unbounded);
    for (const ItemReader& reader : graph_.readers[item]) {
      const bool may_be_taken_over = reader.task == task_ && reader.takes_over;
      if (!may_be_taken_over) {
        cut_.add_arc(node(item), node(reader.task), MinimumCut::unbounded);
      }
    }
  }

  const TaskGraph& graph_;
  TaskId task_;
  MinimumCut cut_;
};

}  // namespace

IdVector<TaskId, bool> ancestors_of(const TaskGraph& graph, TaskId task) {
  return reached_from(graph, task, Direction::ancestors);
}

IdVector<TaskId, bool> descendants_of(const TaskGraph& graph, TaskId task) {
  return reached_from(graph, task, Direction::descendants);
}

LeastCut least_cut_at(const TaskGraph& graph, TaskId task,
                      const IdVector<ItemId, std::int64_t>& weight) {
  return CutBuilder(graph, task, weight).separate();
}

std::int64_t least_bytes_at(const TaskGraph& graph, TaskId task) {
  std::int64_t bytes = graph.persistent_bytes + least_cut_at(graph, task, graph.bytes).weight;
  for (const ItemId item : graph.outputs[task]) bytes += graph.bytes[item];
  return bytes;
}

std::vector<std::size_t> slots_by_live_bytes(const SequenceMemory& memory) {
  std::vector<std::size_t> slots(memory.live_bytes.size());
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  std::stable_sort(slots.begin(), slots.end(), [&](std::size_t a, std::size_t b) {
    return memory.live_bytes[a] > memory.live_bytes[b];
  });
  return slots;
}

std::int64_t order_bound(const TaskGraph& graph, std::span<const TaskId> order,
                         const SearchLimit& limit, const Progress& progress) {
  const SequenceMemory memory = memory_of(graph, order);
  const std::vector<std::size_t> slots = slots_by_live_bytes(memory);
  const SearchClock clock(limit, progress);
  std::int64_t bound = largest_task_bytes(graph);
  const std::size_t size = graph.tasks() + graph.items();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    // A slot with at most `bound` live bytes cannot raise the bound.
    if (memory.live_bytes[slots[i]] <= bound) break;
    if (clock.used(static_cast<std::int64_t>(i * size)) >= 1) break;
    bound = std::max(bound, least_bytes_at(graph, order[slots[i]]));
  }
  return bound;
}

}  // namespace stashscope
