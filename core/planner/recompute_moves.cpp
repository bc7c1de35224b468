#include "core/planner/recompute_moves.h"

#include <algorithm>
#include <array>

#include "core/schedule/tasks/sequence_moves.h"

namespace stashscope {

namespace {

template <class Items>
auto any_of(const Items& items, SearchRandom& random) {
  return items[random.below(static_cast<std::uint32_t>(items.size()))];
}

}  // namespace

RecomputeMoves::Reach RecomputeMoves::random_reach() {
  constexpr std::array<Reach, 5> reaches = {{{1, 0}, {2, 1}, {4, 0.5}, {8, 1}, {16, 1}}};
  return any_of(reaches, random_);
}

bool RecomputeMoves::repeat_before(TaskId task, std::uint32_t slot, Reach& reach) {
  if (reach.runs == 0 || !state_.can_repeat(task)) return false;
  is_too_costly_ = static_cast<double>(state_.cost() + state_.graph().cost[task]) > most_cost_;
  if (is_too_costly_) return false;
  const auto place = empty_slot_before(state_, slot, state_.earliest_repeat(task));
  if (!place) return false;
  --reach.runs;
  std::vector<TaskId> needed;
  for (const ItemId item : state_.graph().inputs[task]) {
    const bool is_wanted = reach.runs > 0 && random_.unit() < reach.share_of_inputs;
    if (is_wanted && !state_.is_alive(item, *place)) needed.push_back(state_.graph().maker[item]);
  }
  Runs runs = state_.runs(task);
  runs.insert(*place);
  state_.change(task, runs);
  for (const TaskId each : needed) {
    repeat_before(each, *place, reach);
    if (is_too_costly_) return false;
  }
  return true;
}

bool RecomputeMoves::repeat_any() {
  const TaskGraph& graph = state_.graph();
  const ItemId item(random_.below(static_cast<std::uint32_t>(graph.items())));
  const auto readers = graph.readers[item];
  if (readers.empty()) return false;
  const Runs& reads = state_.runs(any_of(readers, random_).task);
  const std::uint32_t slot = reads.slots[random_.below(reads.count)];
  Reach reach = random_reach();
  return repeat_before(graph.maker[item], slot, reach);
}

bool RecomputeMoves::repeat_over_peak() {
  const TaskGraph& graph = state_.graph();
  const std::uint32_t peak = state_.peak_slot();
  for (int tries = 0; tries < 30; ++tries) {
    const ItemId item(random_.below(static_cast<std::uint32_t>(graph.items())));
    const TaskId maker = graph.maker[item];
    if (state_.runs(maker).before(peak) == 0 || !state_.is_alive(item, peak)) continue;
    const std::uint32_t next = state_.next_read(item, peak);
    if (next == peak || next == state_.slots()) continue;
    Reach reach = random_reach();
    return repeat_before(maker, next, reach);
  }
  return false;
}

bool RecomputeMoves::remove(TaskId task, std::size_t run) {
  if (!state_.can_remove(task, run) || (keeps_order_ && run == 0)) return false;
  Runs runs = state_.runs(task);
  const std::uint32_t slot = runs.slots[run];
  runs.erase(run);
  state_.change(task, runs);
  for (const ItemId item : state_.graph().inputs[task]) {
    const TaskId maker = state_.graph().maker[item];
    const std::size_t made = state_.runs(maker).before(slot);
    if (made == 0 || state_.is_read(maker, made - 1)) continue;
    remove(maker, made - 1);
  }
  return true;
}

bool RecomputeMoves::remove_any() {
  if (state_.repeated().empty()) return false;
  const TaskId task = any_of(state_.repeated(), random_);
  return remove(task, random_.below(state_.runs(task).count));
}

bool RecomputeMoves::replace_any(std::int64_t budget_bytes) {
  if (!remove_any()) return false;
  for (std::uint32_t left = 1 + random_.below(4); left > 0; --left) {
    if (state_.peak_bytes() <= budget_bytes) break;
    repeat_over_peak();
    if (is_too_costly_) return false;
  }
  return true;
}

}  // namespace stashscope
