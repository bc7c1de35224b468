#include "core/schedule/minimal/exact_order.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <unordered_map>

namespace stashscope {

namespace {

/// Tasks as a bit set.
using TaskSet = std::vector<std::uint64_t>;

struct TaskSetHash {
  std::size_t operator()(const TaskSet& set) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (const std::uint64_t word : set) {
      hash = (hash ^ word) * 0xff51afd7ed558ccd;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

bool contains(const TaskSet& set, TaskId task) {
  return (set[task.index() / 64] >> (task.index() % 64) & 1U) != 0;
}

void insert(TaskId task, TaskSet& set) {
  set[task.index() / 64] |= std::uint64_t{1} << (task.index() % 64);
}

void erase(TaskId task, TaskSet& set) {
  set[task.index() / 64] &= ~(std::uint64_t{1} << (task.index() % 64));
}

/// The first task of the set at `from` or after it; an invalid id if there is none.
TaskId next_in(const TaskSet& set, std::size_t from) {
  std::size_t word = from / 64;
  if (word >= set.size()) return TaskId();
  std::uint64_t rest = set[word] >> (from % 64) << (from % 64);
  while (rest == 0) {
    if (++word == set.size()) return TaskId();
    rest = set[word];
  }
  return TaskId(static_cast<std::uint32_t>(word * 64) +
                static_cast<std::uint32_t>(std::countr_zero(rest)));
}

class OrderSearch {
 public:
  OrderSearch(const TaskGraph& graph, std::int64_t bound, const SearchLimit& limit,
              const Progress& progress)
      : graph_(graph), clock_(limit, progress) {
    State start;
    start.set.assign(graph.tasks() / 64 + 1, 0);
    start.live = graph.persistent_bytes;
    start.peak = bound;
    TaskSet ready = tasks_ready_after(start.set);
    add(std::move(start), std::move(ready));
  }

  std::optional<std::vector<TaskId>> run() {
    for (bool by_count = false; !by_live_.empty() && !by_count_.empty(); by_count = !by_count) {
      if (clock_.used(static_cast<std::int64_t>(states_.size())) >= 1) return std::nullopt;
      const std::uint32_t next = by_count ? pop(by_count_) : pop(by_live_);
      if (is_closed_[next]) continue;
      is_closed_[next] = true;
      const State state = states_[next];
      if (best_peak_.at(state.set) < state.peak) continue;
      if (state.count == graph_.tasks()) return order_to(state.last);
      const TaskSet ready = tasks_ready_after(state.set);
      for (TaskId task = next_in(ready, 0); task.valid(); task = next_in(ready, task.index() + 1)) {
        State next = state;
        TaskSet left = ready;
        apply(task, next, left);
        add(std::move(next), std::move(left));
      }
    }
    return std::nullopt;
  }

 private:
  struct State {
    TaskSet set;  ///< the tasks that have run
    std::int64_t live = 0;
    std::int64_t peak = 0;
    std::uint32_t last = none;  ///< the last task that ran, as an index into `steps_`
    std::uint32_t count = 0;
  };
  struct Step {
    std::uint32_t before;
    TaskId task;
  };
  struct Entry {
    std::int64_t peak;
    std::int64_t second;  ///< tie-breaker among equal peaks; the smallest comes first
    std::uint32_t state;

    bool operator<(const Entry& other) const {
      return peak != other.peak ? peak > other.peak : second > other.second;
    }
  };
  using Open = std::priority_queue<Entry>;
  struct Effect {
    std::int64_t while_running;  ///< rise of the live bytes while the task runs
    std::int64_t afterwards;
  };
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  static std::uint32_t pop(Open& open) {
    const std::uint32_t state = open.top().state;
    open.pop();
    return state;
  }

  bool is_ready(const TaskSet& set, TaskId task) const {
    if (contains(set, task)) return false;
    const auto inputs = graph_.inputs[task];
    return std::all_of(inputs.begin(), inputs.end(),
                       [&](ItemId item) { return contains(set, graph_.maker[item]); });
  }

  TaskSet tasks_ready_after(const TaskSet& set) const {
    TaskSet ready(set.size(), 0);
    for (const TaskId task : IdRange<TaskId>(graph_.tasks())) {
      if (is_ready(set, task)) insert(task, ready);
    }
    return ready;
  }

  Effect effect_of(const TaskSet& set, TaskId task) const {
    Effect effect{0, 0};
    for (const ItemId item : graph_.outputs[task]) {
      effect.while_running += graph_.bytes[item];
      const bool stays = graph_.kept[item] || !graph_.readers[item].empty();
      if (stays) effect.afterwards += graph_.bytes[item];
    }
    for (const ItemId item : graph_.inputs[task]) {
      if (graph_.kept[item]) continue;
      bool dies = true;
      bool taken_over = false;
      for (const ItemReader& reader : graph_.readers[item]) {
        if (reader.task == task) taken_over = reader.takes_over;
        if (reader.task != task && !contains(set, reader.task)) dies = false;
      }
      if (!dies) continue;
      effect.afterwards -= graph_.bytes[item];
      if (taken_over) effect.while_running -= graph_.bytes[item];
    }
    return effect;
  }

  /// Runs the task. Updates `state` and `ready`, the set of tasks that can run next.
  void apply(TaskId task, State& state, TaskSet& ready) {
    const Effect effect = effect_of(state.set, task);
    state.peak = std::max(state.peak, state.live + effect.while_running);
    state.live += effect.afterwards;
    insert(task, state.set);
    erase(task, ready);
    for (const ItemId item : graph_.outputs[task]) {
      for (const ItemReader& reader : graph_.readers[item]) {
        if (is_ready(state.set, reader.task)) insert(reader.task, ready);
      }
    }
    ++state.count;
    steps_.push_back({state.last, task});
    state.last = static_cast<std::uint32_t>(steps_.size() - 1);
  }

  void run_what_cannot_hurt(State& state, TaskSet& ready) {
    for (bool any = true; any;) {
      any = false;
      for (TaskId task = next_in(ready, 0); task.valid(); task = next_in(ready, task.index() + 1)) {
        const Effect effect = effect_of(state.set, task);
        if (effect.afterwards > 0 || state.live + effect.while_running > state.peak) continue;
        apply(task, state, ready);
        any = true;
      }
    }
  }

  void add(State state, TaskSet ready) {
    run_what_cannot_hurt(state, ready);
    const auto [known, is_new] = best_peak_.try_emplace(state.set, state.peak);
    if (!is_new && known->second <= state.peak) return;
    known->second = state.peak;
    const auto id = static_cast<std::uint32_t>(states_.size());
    by_live_.push({state.peak, state.live, id});
    by_count_.push({state.peak, -std::int64_t{state.count}, id});
    is_closed_.push_back(false);
    states_.push_back(std::move(state));
  }

  std::vector<TaskId> order_to(std::uint32_t step) const {
    std::vector<TaskId> order;
    for (; step != none; step = steps_[step].before) order.push_back(steps_[step].task);
    std::reverse(order.begin(), order.end());
    return order;
  }

  const TaskGraph& graph_;
  SearchClock clock_;
  std::vector<State> states_;
  std::vector<Step> steps_;
  std::unordered_map<TaskSet, std::int64_t, TaskSetHash> best_peak_;
  // Both queues yield the lowest peak first. On ties, one yields the fewest live bytes first, the
  // other the most finished tasks. Each queue alone is slow on some graphs, so both take turns.
  Open by_live_;
  Open by_count_;
  std::vector<bool> is_closed_;
};

}  // namespace

std::optional<std::vector<TaskId>> exact_order(const TaskGraph& graph, std::int64_t bound,
                                               const SearchLimit& limit, const Progress& progress) {
  return OrderSearch(graph, bound, limit, progress).run();
}

}  // namespace stashscope
