#include "core/planner/greedy_recompute.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/schedule/tasks/run_sequence.h"
#include "core/schedule/tasks/sequence_moves.h"

namespace stashscope {

namespace {

class GreedyRecompute {
 public:
  GreedyRecompute(const TaskGraph& graph, const std::vector<TaskId>& start,
                  std::int64_t budget_bytes, const SearchClock& clock)
      : graph_(graph), state_(graph, start), budget_(budget_bytes), clock_(clock) {}

  std::vector<TaskId> run() {
    while (state_.peak_bytes() > budget_ && clock_.used(0) < 1) {
      if (state_.is_crowded()) state_.respace();
      const std::uint32_t peak = state_.peak_slot();
      if (!evict_one(peak)) break;
    }
    return state_.sequence();
  }

 private:
  struct Candidate {
    ItemId item;
    std::uint32_t next_read = 0;
    double price = 0;  ///< cost per byte and idle slot
  };

  /// Frees the cheapest candidate that can be recomputed without raising the peak elsewhere. Tries
  /// only the `most_tries` cheapest candidates.
  bool evict_one(std::uint32_t peak) {
    std::vector<Candidate> candidates = alive_but_idle(peak);
    constexpr std::ptrdiff_t most_tries = 24;
    const auto tried = std::min<std::ptrdiff_t>(most_tries, std::ssize(candidates));
    std::partial_sort(candidates.begin(), candidates.begin() + tried, candidates.end(),
                      [](const Candidate& a, const Candidate& b) { return a.price < b.price; });
    for (auto each = candidates.begin(); each != candidates.begin() + tried; ++each) {
      if (make_again(*each, peak)) return true;
    }
    return false;
  }

  std::vector<Candidate> alive_but_idle(std::uint32_t slot) const {
    std::vector<Candidate> candidates;
    for (const ItemId item : IdRange<ItemId>(graph_.items())) {
      if (graph_.bytes[item] == 0 || !state_.can_repeat(graph_.maker[item])) continue;
      if (!state_.is_alive(item, slot) || state_.runs(graph_.maker[item]).before(slot) == 0) {
        continue;
      }
      const std::uint32_t next = state_.next_read(item, slot);
      if (next == slot || next == state_.slots()) continue;
      const double saved =
          static_cast<double>(graph_.bytes[item]) * static_cast<double>(next - slot);
      candidates.push_back({item, next, cost_with_dead_inputs(item, next) / saved});
    }
    return candidates;
  }

  /// Cost of recomputing the item before `slot`. Includes the cost of recomputing those direct
  /// inputs of the item's maker that are dead before `slot`.
  double cost_with_dead_inputs(ItemId item, std::uint32_t slot) const {
    const TaskId maker = graph_.maker[item];
    std::int64_t cost = graph_.cost[maker];
    for (const ItemId input : graph_.inputs[maker]) {
      if (!state_.is_alive(input, slot - 1)) cost += graph_.cost[graph_.maker[input]];
    }
    return static_cast<double>(cost) + 1e-9;
  }

  /// Recomputes the candidate before its next reader. Keeps the change only if the item is no
  /// longer live at slot `peak`, and the peak falls or moves to another slot without rising.
  bool make_again(const Candidate& candidate, std::uint32_t peak) {
    const std::int64_t before = state_.peak_bytes();
    const bool possible = repeat_with_inputs(graph_.maker[candidate.item], candidate.next_read);
    const bool better = state_.peak_bytes() < before ||
                        (state_.peak_bytes() == before && state_.peak_slot() != peak);
    if (possible && better && !state_.is_alive(candidate.item, peak)) {
      state_.keep();
      return true;
    }
    state_.undo();
    return false;
  }

  bool repeat_with_inputs(TaskId task, std::uint32_t before) {
    struct Open {
      TaskId task;
      std::uint32_t before;
    };
    std::vector<Open> open = {{task, before}};
    constexpr std::size_t most_runs = 200;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Open each = open[i];
      if (i >= most_runs || !state_.can_repeat(each.task)) return false;
      const auto place = empty_slot_before(state_, each.before, state_.earliest_repeat(each.task));
      if (!place) return false;
      for (const ItemId input : graph_.inputs[each.task]) {
        if (!state_.is_alive(input, *place)) open.push_back({graph_.maker[input], *place});
      }
      Runs runs = state_.runs(each.task);
      runs.insert(*place);
      state_.change(each.task, runs);
    }
    return true;
  }

  const TaskGraph& graph_;
  RunSequence state_;
  std::int64_t budget_;
  const SearchClock& clock_;
};

}  // namespace

std::vector<TaskId> greedy_recompute(const TaskGraph& graph, const std::vector<TaskId>& start,
                                     std::int64_t budget_bytes, const SearchClock& clock) {
  return GreedyRecompute(graph, start, budget_bytes, clock).run();
}

}  // namespace stashscope
