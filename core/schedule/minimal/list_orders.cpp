#include "core/schedule/minimal/list_orders.h"

#include <algorithm>
#include <array>

namespace stashscope {

namespace {

/// Places tasks one by one, from the start or from the end.
class ListScheduler {
 public:
  ListScheduler(const TaskGraph& graph, bool from_the_end)
      : graph_(graph),
        from_the_end_(from_the_end),
        waits_for_(graph.tasks(), 0),
        readers_left_(graph.items(), 0) {
    for (const ItemId item : IdRange<ItemId>(graph.items())) {
      const auto readers = static_cast<std::uint32_t>(graph.readers[item].size());
      readers_left_[item] = readers + (graph.kept[item] ? 1 : 0);
      if (from_the_end) waits_for_[graph.maker[item]] += readers;
    }
    for (const TaskId task : IdRange<TaskId>(graph.tasks())) {
      if (!from_the_end) waits_for_[task] = static_cast<std::uint32_t>(graph.inputs[task].size());
      if (waits_for_[task] == 0) ready_.push_back(task);
    }
  }

  std::vector<TaskId> run() {
    std::vector<TaskId> order;
    order.reserve(graph_.tasks());
    while (!ready_.empty()) {
      const auto best = std::min_element(ready_.begin(), ready_.end(), [&](TaskId a, TaskId b) {
        return preference(a) < preference(b);
      });
      const TaskId task = *best;
      *best = ready_.back();
      ready_.pop_back();
      order.push_back(task);
      place(task);
    }
    if (from_the_end_) std::reverse(order.begin(), order.end());
    return order;
  }

 private:
  std::int64_t made_by(TaskId task) const {
    std::int64_t bytes = 0;
    for (const ItemId item : graph_.outputs[task]) {
      const bool stays = graph_.kept[item] || !graph_.readers[item].empty();
      if (stays) bytes += graph_.bytes[item];
    }
    return bytes;
  }

  /// Live bytes that placing `task` frees or adds through its inputs. When tasks are placed from
  /// the start, the last reader placed frees the input. When tasks are placed from the end, the
  /// first reader placed makes the input live.
  std::int64_t taken_by(TaskId task) const {
    std::int64_t bytes = 0;
    for (const ItemId item : graph_.inputs[task]) {
      const bool changes = from_the_end_ ? is_first_reader_placed(item) : readers_left_[item] == 1;
      if (changes) bytes += graph_.bytes[item];
    }
    return bytes;
  }

  bool is_first_reader_placed(ItemId item) const {
    return !graph_.kept[item] && readers_left_[item] == graph_.readers[item].size();
  }

  /// Sort key; the ready task with the smallest key is placed first. The key is the growth of the
  /// live bytes. On ties, the task that frees most comes first (from the start), or the task with
  /// the fewest inputs (from the end).
  std::array<std::int64_t, 3> preference(TaskId task) const {
    const std::int64_t taken = taken_by(task);
    const auto index = static_cast<std::int64_t>(task.index());
    if (!from_the_end_) return {made_by(task) - taken, -taken, index};
    return {taken - made_by(task), std::ssize(graph_.inputs[task]), -index};
  }

  void place(TaskId task) {
    for (const ItemId item : graph_.inputs[task]) {
      --readers_left_[item];
      if (from_the_end_) release(graph_.maker[item]);
    }
    if (from_the_end_) return;
    for (const ItemId item : graph_.outputs[task]) {
      for (const ItemReader& reader : graph_.readers[item]) release(reader.task);
    }
  }

  void release(TaskId task) {
    if (--waits_for_[task] == 0) ready_.push_back(task);
  }

  const TaskGraph& graph_;
  bool from_the_end_;
  IdVector<TaskId, std::uint32_t> waits_for_;
  IdVector<ItemId, std::uint32_t> readers_left_;
  std::vector<TaskId> ready_;
};

}  // namespace

std::vector<TaskId> forward_list_order(const TaskGraph& graph) {
  return ListScheduler(graph, false).run();
}

std::vector<TaskId> backward_list_order(const TaskGraph& graph) {
  return ListScheduler(graph, true).run();
}

}  // namespace stashscope
