#include "core/schedule/tasks/sequence_moves.h"

#include <cmath>

namespace stashscope {

namespace {

/// A random slot that holds a run.
std::uint32_t random_run(const RunSequence& state, SearchRandom& random) {
  std::uint32_t slot = random.below(state.slots());
  while (!state.task_in(slot).valid()) slot = random.below(state.slots());
  return slot;
}

/// A third of the targets lie anywhere in `room`. The other targets lie near `slot`, because most
/// improvements are small moves.
std::int64_t random_target(std::uint32_t slot, const RunSequence::Room& room,
                           SearchRandom& random) {
  const std::int64_t first = std::int64_t{room.behind == RunSequence::before_all
                                              ? -1
                                              : static_cast<std::int64_t>(room.behind)} +
                             1;
  const std::int64_t count = std::int64_t{room.in_front_of} - first;
  const std::uint32_t way = random.below(3);
  if (way == 0) return first + random.below(static_cast<std::uint32_t>(count));
  constexpr double log_of_farthest = 5;
  const auto distance = 1 + static_cast<std::int64_t>(std::exp(random.unit() * log_of_farthest));
  return way == 1 ? slot + distance : slot - distance;
}

}  // namespace

namespace {

/// The slot of a random additional run of a random repeated task.
std::optional<std::uint32_t> random_repeat(const RunSequence& state, SearchRandom& random) {
  if (state.repeated().empty()) return std::nullopt;
  const auto count = static_cast<std::uint32_t>(state.repeated().size());
  const Runs& runs = state.runs(state.repeated()[random.below(count)]);
  return runs.slots[1 + random.below(runs.count - 1)];
}

}  // namespace

bool shift_random_run(RunSequence& state, SearchRandom& random, bool keeps_order) {
  const auto chosen =
      keeps_order ? random_repeat(state, random) : std::optional(random_run(state, random));
  if (!chosen) return false;
  const std::uint32_t slot = *chosen;
  const TaskId task = state.task_in(slot);
  Runs runs = state.runs(task);
  const std::size_t run = runs.before(slot);
  const RunSequence::Room room = state.room(task, run);
  const auto is_inside = [&](std::int64_t at) {
    return at < room.in_front_of &&
           (room.behind == RunSequence::before_all ? at >= 0 : at > std::int64_t{room.behind});
  };
  std::int64_t target = random_target(slot, room, random);
  const int step = target > std::int64_t{slot} ? 1 : -1;
  while (is_inside(target) && state.task_in(static_cast<std::uint32_t>(target)).valid()) {
    target += step;
  }
  if (!is_inside(target)) return false;
  runs.erase(run);
  runs.insert(static_cast<std::uint32_t>(target));
  state.change(task, runs);
  return true;
}

std::optional<std::uint32_t> empty_slot_before(const RunSequence& state, std::uint32_t slot,
                                               std::uint32_t behind) {
  while (slot > behind + 1) {
    --slot;
    if (!state.task_in(slot).valid()) return slot;
  }
  return std::nullopt;
}

}  // namespace stashscope
