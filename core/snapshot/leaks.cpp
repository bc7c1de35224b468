#include "core/snapshot/leaks.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/snapshot/live_tensors.h"
#include "core/snapshot/places.h"
#include "core/snapshot/repetition.h"
#include "core/snapshot/snapshot_recording.h"

namespace stashscope {

namespace {

constexpr std::size_t most_callers = 4;

/// How a line was reached.
void describe(const SnapshotNames& names, SnapshotStackId stack, PlaceTensors& place) {
  const std::vector<SnapshotFrameId> frames = program_frames(names, stack);
  if (frames.empty()) return;
  place.function = names.text(names.frame(frames.front()).name);
  const std::size_t end = std::min(frames.size(), most_callers + 1);
  for (std::size_t i = 1; i < end; ++i) place.callers.push_back(frame_text(names, frames[i]));
}

/// Tensors that a line makes on several ways have the callers of the largest part.
LivePlaces by_place(const SnapshotNames& names, const LiveTensors& live) {
  std::unordered_map<SnapshotStackId, LiveLevel> by_stack;
  for (const auto& [address, tensor] : live) {
    LiveLevel& level = by_stack[tensor.stack];
    level.bytes += tensor.bytes;
    ++level.tensors;
  }
  std::vector<std::pair<SnapshotStackId, LiveLevel>> stacks(by_stack.begin(), by_stack.end());
  std::ranges::sort(stacks, [](const auto& left, const auto& right) {
    return std::pair(right.second.bytes, left.first) < std::pair(left.second.bytes, right.first);
  });
  LivePlaces places;
  for (const auto& [stack, level] : stacks) {
    const auto [at, is_new] = places.try_emplace(place_of(names, stack));
    if (is_new) describe(names, stack, at->second);
    at->second.level.bytes += level.bytes;
    at->second.level.tensors += level.tensors;
  }
  return places;
}

/// The allocations of a trace as numbers. The same number means the same stack and, if asked for,
/// the same size.
std::vector<std::uint32_t> allocation_keys(const MemorySnapshot& snapshot,
                                           const std::vector<SnapshotEvent>& events,
                                           bool with_sizes) {
  std::map<std::pair<SnapshotStackId, std::int64_t>, std::uint32_t> known;
  std::vector<std::uint32_t> keys;
  for (const SnapshotEvent& event : events) {
    if (action_of(snapshot.names.text(event.action)) != AllocatorAction::alloc) continue;
    const auto next = static_cast<std::uint32_t>(known.size());
    keys.push_back(
        known.try_emplace({event.stack, with_sizes ? event.bytes : 0}, next).first->second);
  }
  return keys;
}

Repetition steps_of(const MemorySnapshot& snapshot, const std::vector<SnapshotEvent>& events) {
  const bool has_stacks =
      std::ranges::any_of(events, [](const SnapshotEvent& event) { return event.stack.valid(); });
  if (const auto found = repetition_at_end(allocation_keys(snapshot, events, true))) return *found;
  if (has_stacks) {
    const auto found = repetition_at_end(allocation_keys(snapshot, events, false));
    if (found) return *found;
  }
  fail_input("the trace", "has no part of three or more steps with the same allocations",
             "record three steps or more, or give a snapshot for the end of each step");
}

/// The numbers of the compared steps, from 1.
std::vector<std::size_t> compared_steps(std::size_t steps) {
  const std::size_t count = std::min(steps, most_compared);
  std::vector<std::size_t> compared;
  for (std::size_t i = 0; i < count; ++i) {
    compared.push_back(1 + i * (steps - 1) / (count - 1));
  }
  return compared;
}

/// Whether a level grows until the end, and never falls.
bool grows(const std::vector<LiveLevel>& levels) {
  std::size_t times = 0;
  std::size_t last = 0;
  for (std::size_t i = 1; i < levels.size(); ++i) {
    if (levels[i].bytes < levels[i - 1].bytes) return false;
    if (levels[i].bytes == levels[i - 1].bytes) continue;
    ++times;
    last = i;
  }
  return times >= 2 && last > (levels.size() - 1) / 2;
}

LiveLevel sum(const LivePlaces& places) {
  LiveLevel total;
  for (const auto& [name, place] : places) {
    total.bytes += place.level.bytes;
    total.tensors += place.level.tensors;
  }
  return total;
}

/// All places with their levels, as if all grew.
std::vector<Leak> level_table(const std::vector<LivePlaces>& moments) {
  std::map<std::string, Leak> table;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    for (const auto& [name, place] : moments[i]) {
      const auto [at, is_new] = table.try_emplace(name);
      if (is_new) at->second = {name, "", {}, std::vector<LiveLevel>(moments.size())};
      at->second.function = place.function;
      at->second.callers = place.callers;
      at->second.levels[i] = place.level;
    }
  }
  std::vector<Leak> list;
  for (auto& [name, each] : table) list.push_back(std::move(each));
  return list;
}

LeakSearch compared(const std::vector<LivePlaces>& moments, std::vector<std::size_t> steps,
                    std::size_t allocations_per_step) {
  LeakSearch search{std::move(steps), allocations_per_step, {}, level_table(moments)};
  std::ranges::transform(moments, std::back_inserter(search.levels), sum);
  std::erase_if(search.leaks, [](const Leak& each) { return !grows(each.levels); });
  std::ranges::stable_sort(search.leaks, std::greater(), &Leak::growth_bytes);
  return search;
}

}  // namespace

LivePlaces live_at_end(const MemorySnapshot& snapshot) {
  const std::int64_t device = main_device(snapshot);
  LiveTensors live = tensors_before(snapshot, device);
  for (const SnapshotEvent& event : events_of(snapshot, device)) {
    play_event(snapshot.names, event, live);
  }
  return by_place(snapshot.names, live);
}

LeakSearch leaks_between(const std::vector<LivePlaces>& ends) {
  if (ends.size() < least_compared) {
    fail_usage("", "fewer than three snapshots do not show what grows from step to step",
               "give one for each of three steps, or one whose trace has three steps; --compare "
               "shows the difference of two");
  }
  std::vector<std::size_t> steps;
  for (std::size_t i = 1; i <= ends.size(); ++i) steps.push_back(i);
  return compared(ends, std::move(steps), 0);
}

LeakSearch leaks_in(const MemorySnapshot& snapshot) {
  const std::int64_t device = main_device(snapshot);
  const std::vector<SnapshotEvent>& events = events_of(snapshot, device);
  const Repetition repeated = steps_of(snapshot, events);
  const std::vector<std::size_t> steps = compared_steps(repeated.times);
  const std::size_t before = repeated.end - repeated.length();
  LiveTensors live = tensors_before(snapshot, device);
  std::vector<LivePlaces> moments;
  std::size_t allocations = 0;
  for (const SnapshotEvent& event : events) {
    const bool allocates = action_of(snapshot.names.text(event.action)) == AllocatorAction::alloc;
    // A step ends just before the first allocation of the next one, when it has freed what it
    // frees.
    const auto is_due = [&] {
      return moments.size() < steps.size() &&
             allocations == before + steps[moments.size()] * repeated.period;
    };
    if (allocates && is_due()) moments.push_back(by_place(snapshot.names, live));
    play_event(snapshot.names, event, live);
    if (allocates) ++allocations;
  }
  while (moments.size() < steps.size()) moments.push_back(by_place(snapshot.names, live));
  return compared(moments, steps, repeated.period);
}

}  // namespace stashscope
