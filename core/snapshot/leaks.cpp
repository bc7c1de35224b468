#include "core/snapshot/leaks.h"

#include <algorithm>
#include <iterator>
#include <map>
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

/// The live tensors of all lines of a program, moment by moment.
class LevelTable {
 public:
  /// Adds a moment.
  void add(const SnapshotNames& names, const LiveTensors& live) {
    totals_.emplace_back();
    for (const auto& [address, tensor] : live) {
      add_tensor(totals_.back(), tensor.bytes);
      add_tensor(level_of(names, tensor.stack), tensor.bytes);
    }
  }
  /// Starts another snapshot, which numbers its stacks anew.
  void begin_snapshot() { rows_of_stacks_.clear(); }

  const std::vector<LiveLevel>& totals() const { return totals_; }

  /// The lines that leak.
  std::vector<Leak> leaks();

 private:
  static void add_tensor(LiveLevel& level, std::int64_t bytes) {
    level.bytes += bytes;
    ++level.tensors;
  }

  LiveLevel& level_of(const SnapshotNames& names, SnapshotStackId stack) {
    const auto [found, is_new] = rows_of_stacks_.try_emplace(stack, 0);
    if (is_new) found->second = row_of(names, stack);
    std::vector<LiveLevel>& levels = rows_[found->second].leak.levels;
    levels.resize(totals_.size());
    return levels.back();
  }

  /// The row of the program line in which a stack ends. Its callers are those of the first stack
  /// with this line.
  std::size_t row_of(const SnapshotNames& names, SnapshotStackId stack);

  struct Row {
    std::string whole_place;  ///< the line with its folders
    Leak leak;                ///< a candidate: the line may turn out not to leak
  };
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> rows_of_places_;
  std::unordered_map<SnapshotStackId, std::size_t> rows_of_stacks_;
  std::vector<LiveLevel> totals_;
};

std::size_t LevelTable::row_of(const SnapshotNames& names, SnapshotStackId stack) {
  const std::vector<SnapshotFrameId> frames = program_frames(names, stack);
  std::string place = place_of(names, stack);
  const std::string key = frames.empty() ? place : whole_frame_text(names, frames.front());
  const auto [found, is_new] = rows_of_places_.try_emplace(key, rows_.size());
  if (!is_new) return found->second;
  Leak& row = rows_.emplace_back(Row{key, {}}).leak;
  row.place = std::move(place);
  if (frames.empty()) return found->second;
  row.function = names.text(names.frame(frames.front()).name);
  const std::size_t end = std::min(frames.size(), most_callers + 1);
  for (std::size_t i = 1; i < end; ++i) row.callers.push_back(frame_text(names, frames[i]));
  return found->second;
}

/// Whether a level never falls, grows at least twice, and grows in the second half.
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

std::vector<Leak> LevelTable::leaks() {
  std::map<std::string, std::size_t> same_names;
  for (const Row& row : rows_) ++same_names[row.leak.place];
  std::vector<Leak> leaks;
  for (Row& row : rows_) {
    row.leak.levels.resize(totals_.size());
    if (!grows(row.leak.levels)) continue;
    leaks.push_back(row.leak);
    if (same_names.at(row.leak.place) > 1) leaks.back().place = row.whole_place;
  }
  std::ranges::sort(leaks, [](const Leak& left, const Leak& right) {
    if (left.growth_bytes() != right.growth_bytes()) {
      return left.growth_bytes() > right.growth_bytes();
    }
    return left.place < right.place;
  });
  return leaks;
}

bool allocates(const MemorySnapshot& snapshot, const SnapshotEvent& event) {
  return action_of(snapshot.names, event) == AllocatorAction::alloc;
}

/// The allocations of a trace as numbers. The same number means the same stack and, if asked for,
/// the same size.
std::vector<std::uint32_t> allocation_keys(const MemorySnapshot& snapshot,
                                           const std::vector<SnapshotEvent>& events,
                                           bool with_sizes) {
  std::map<std::pair<SnapshotStackId, std::int64_t>, std::uint32_t> known;
  std::vector<std::uint32_t> keys;
  for (const SnapshotEvent& event : events) {
    if (!allocates(snapshot, event)) continue;
    const auto next = static_cast<std::uint32_t>(known.size());
    keys.push_back(
        known.try_emplace({event.stack, with_sizes ? event.bytes : 0}, next).first->second);
  }
  return keys;
}

Repetition steps_of(const MemorySnapshot& snapshot, const std::vector<SnapshotEvent>& events) {
  const auto with_sizes = allocation_keys(snapshot, events, true);
  if (with_sizes.empty()) {
    fail_input("the trace", "has no allocations",
               "call torch.cuda.memory._record_memory_history() before the steps");
  }
  if (const auto found = repetition_at_end(with_sizes)) return *found;
  const bool has_stacks =
      std::ranges::any_of(events, [](const SnapshotEvent& event) { return event.stack.valid(); });
  if (has_stacks) {
    const auto found = repetition_at_end(allocation_keys(snapshot, events, false));
    if (found) return *found;
  }
  fail_input("the trace", "has no three steps in a row with the same allocations",
             "record more steps and little else, or give a snapshot for the end of each of three "
             "steps");
}

/// The numbers of the compared steps, from 1.
std::vector<std::size_t> compared_steps(std::size_t steps) {
  const std::size_t count = std::min(steps, most_compared);
  std::vector<std::size_t> compared;
  for (std::size_t i = 0; i < count; ++i) compared.push_back(1 + i * (steps - 1) / (count - 1));
  return compared;
}

LiveTensors tensors_at_end(const MemorySnapshot& snapshot, std::int64_t device) {
  LiveTensors live = tensors_before(snapshot, device);
  for (const SnapshotEvent& event : events_of(snapshot, device)) {
    play_event(snapshot.names, event, live);
  }
  return live;
}

}  // namespace

LeakSearch leaks_in(const MemorySnapshot& snapshot) {
  const std::int64_t device = main_traced_device(snapshot);
  const std::vector<SnapshotEvent>& events = events_of(snapshot, device);
  const Repetition repeated = steps_of(snapshot, events);
  const std::vector<std::size_t> steps = compared_steps(repeated.times);
  const std::size_t before = repeated.end - repeated.length();
  LiveTensors live = tensors_before(snapshot, device);
  LevelTable table;
  std::size_t allocations = 0;
  for (const SnapshotEvent& event : events) {
    play_event(snapshot.names, event, live);
    if (!allocates(snapshot, event)) continue;
    ++allocations;
    const std::size_t done = table.totals().size();
    if (done < steps.size() && allocations == before + steps[done] * repeated.period) {
      table.add(snapshot.names, live);
    }
  }
  return {device, steps, repeated.period, table.totals(), table.leaks()};
}

LeakSearch leaks_between(std::size_t count,
                         const std::function<MemorySnapshot(std::size_t)>& snapshot) {
  if (count < least_compared) {
    fail_usage("", "fewer than three snapshots do not show what grows from step to step",
               "give one for each of three steps, or one whose trace has three steps; --compare "
               "shows the difference of two");
  }
  const std::int64_t device = main_device(snapshot(count - 1));
  LevelTable table;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    const MemorySnapshot each = snapshot(i);
    table.begin_snapshot();
    table.add(each.names, tensors_at_end(each, device));
    numbers.push_back(i + 1);
  }
  return {device, numbers, 0, table.totals(), table.leaks()};
}

}  // namespace stashscope
