#include "core/schedule/tasks/run_sequence.h"

#include <algorithm>

namespace stashscope {

namespace {

constexpr std::uint32_t nowhere = static_cast<std::uint32_t>(-1);

/// For a few numbers, a loop is faster than a call to memcmp.
template <class Numbers>
bool begin_equally(const Numbers& a, const Numbers& b, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

bool same_runs(const Runs& a, const Runs& b) {
  return a.count == b.count && begin_equally(a.slots, b.slots, a.count);
}

/// The slot after the last run before `slot`; 0 if there is none.
std::uint32_t end_in_front_of(const Runs& runs, std::uint32_t slot) {
  const std::size_t before = runs.before(slot);
  return before == 0 ? 0 : runs.slots[before - 1] + 1;
}

}  // namespace

void Runs::insert(std::uint32_t slot) {
  std::size_t run = count++;
  for (; run > 0 && slots[run - 1] > slot; --run) slots[run] = slots[run - 1];
  slots[run] = slot;
}

void Runs::erase(std::size_t run) {
  --count;
  for (; run < count; ++run) slots[run] = slots[run + 1];
}

RunSequence::RunSequence(const TaskGraph& graph, std::span<const TaskId> sequence)
    : graph_(&graph), live_({}) {
  load(sequence);
}

void RunSequence::load(std::span<const TaskId> sequence) {
  run_count_ = sequence.size();
  task_in_.assign(2 * run_count_ + 2, TaskId());
  runs_ = IdVector<TaskId, Runs>(graph_->tasks());
  cost_ = 0;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const TaskId task = sequence[i];
    task_in_[2 * i + 1] = task;
    runs_[task].insert(static_cast<std::uint32_t>(2 * i + 1));
    cost_ += graph_->cost[task];
  }
  repeated_.clear();
  place_in_repeated_ = IdVector<TaskId, std::uint32_t>(graph_->tasks(), nowhere);
  for (const TaskId task : IdRange<TaskId>(graph_->tasks())) note_repeats(task);
  coverage_ = IdVector<ItemId, Coverage>(graph_->items());
  live_ = PrefixMaxTree(std::vector<std::int64_t>(slots(), 0));
  for (const ItemId item : IdRange<ItemId>(graph_->items())) {
    move_coverage(item, coverage_of(item));
  }
}

std::vector<TaskId> RunSequence::sequence() const {
  std::vector<TaskId> sequence;
  sequence.reserve(run_count_);
  std::copy_if(task_in_.begin(), task_in_.end(), std::back_inserter(sequence),
               [](TaskId task) { return task.valid(); });
  return sequence;
}

RunSequence::Coverage RunSequence::coverage_of(ItemId item) const {
  const Runs& made = runs_[graph_->maker[item]];
  Coverage coverage;
  for (std::uint32_t run = 0; run < made.count; ++run) {
    const bool is_last = run + 1 == made.count;
    const std::uint32_t limit = is_last ? slots() : made.slots[run + 1];
    std::uint32_t behind = made.slots[run] + 1;
    for (const ItemReader& reader : graph_->readers[item]) {
      const Runs& reads = runs_[reader.task];
      const std::size_t before = reads.before(limit);
      if (before == 0) continue;
      // The copy ends after the reader, or before a reader that takes over the memory.
      const std::uint32_t end = reads.slots[before - 1] + (reader.takes_over ? 0 : 1);
      behind = std::max(behind, end);
    }
    if (is_last && graph_->kept[item]) behind = slots();
    coverage.bounds[coverage.count++] = made.slots[run];
    coverage.bounds[coverage.count++] = behind;
  }
  return coverage;
}

bool RunSequence::is_alive(ItemId item, std::uint32_t slot) const {
  const Coverage& coverage = coverage_[item];
  std::uint32_t passed = 0;
  while (passed < coverage.count && coverage.bounds[passed] <= slot) ++passed;
  return passed % 2 == 1;
}

std::uint32_t RunSequence::next_read(ItemId item, std::uint32_t slot) const {
  std::uint32_t next = slots();
  for (const ItemReader& reader : graph_->readers[item]) {
    const Runs& reads = runs_[reader.task];
    const std::size_t run = reads.before(slot);
    if (run < reads.count) next = std::min(next, reads.slots[run]);
  }
  return next;
}

std::uint32_t RunSequence::earliest_repeat(TaskId task) const {
  std::uint32_t behind = runs_[task].first();
  for (const ItemId item : graph_->inputs[task]) {
    behind = std::max(behind, runs_[graph_->maker[item]].first());
  }
  return behind;
}

RunSequence::Room RunSequence::room(TaskId task, std::size_t run) const {
  const Runs& runs = runs_[task];
  Room room{before_all, slots()};
  const auto raise = [&](std::uint32_t slot) {
    if (room.behind == before_all || room.behind < slot) room.behind = slot;
  };
  if (run > 0) raise(runs.slots[run - 1]);
  for (const ItemId item : graph_->inputs[task]) raise(runs_[graph_->maker[item]].first());
  if (run + 1 < runs.count) room.in_front_of = runs.slots[run + 1];
  if (run > 0) return room;
  for (const ItemId item : graph_->outputs[task]) {
    for (const ItemReader& reader : graph_->readers[item]) {
      room.in_front_of = std::min(room.in_front_of, runs_[reader.task].first());
    }
  }
  return room;
}

bool RunSequence::is_read(TaskId task, std::size_t run) const {
  const Runs& runs = runs_[task];
  const std::uint32_t limit = run + 1 < runs.count ? runs.slots[run + 1] : slots();
  for (const ItemId item : graph_->outputs[task]) {
    if (next_read(item, runs.slots[run]) < limit) return true;
    if (limit == slots() && graph_->kept[item]) return true;
  }
  return false;
}

bool RunSequence::can_remove(TaskId task, std::size_t run) const {
  const Runs& runs = runs_[task];
  if (runs.count < 2) return false;
  if (run > 0) return true;
  for (const ItemId item : graph_->outputs[task]) {
    for (const ItemReader& reader : graph_->readers[item]) {
      if (runs_[reader.task].first() < runs.slots[1]) return false;
    }
  }
  return true;
}

void RunSequence::move_coverage(ItemId item, const Coverage& to) {
  Coverage& from = coverage_[item];
  const std::int64_t bytes = graph_->bytes[item];
  for (std::uint32_t i = 0; i < std::max(from.count, to.count); ++i) {
    const std::int64_t comes = i % 2 == 0 ? bytes : -bytes;
    if (i < from.count && i < to.count && from.bounds[i] == to.bounds[i]) continue;
    if (i < from.count) live_.add_from(from.bounds[i], -comes);
    if (i < to.count) live_.add_from(to.bounds[i], comes);
  }
  from = to;
}

void RunSequence::refresh(ItemId item) {
  const Coverage coverage = coverage_of(item);
  const Coverage& old = coverage_[item];
  if (coverage.count == old.count && begin_equally(coverage.bounds, old.bounds, coverage.count)) {
    return;
  }
  old_coverage_.emplace_back(item, old);
  move_coverage(item, coverage);
}

bool RunSequence::decides_end(ItemId item, const Runs& old, const Runs& now) const {
  const Runs& made = runs_[graph_->maker[item]];
  const Coverage& coverage = coverage_[item];
  for (std::uint32_t run = 0; run < made.count; ++run) {
    const std::uint32_t limit = run + 1 == made.count ? slots() : made.slots[run + 1];
    const std::uint32_t end = coverage.bounds[2 * run + 1];
    if (end_in_front_of(old, limit) >= end || end_in_front_of(now, limit) > end) return true;
  }
  return false;
}

void RunSequence::place(TaskId task, const Runs& runs) {
  Runs& old = runs_[task];
  for (std::uint32_t run = 0; run < old.count; ++run) task_in_[old.slots[run]] = TaskId();
  for (std::uint32_t run = 0; run < runs.count; ++run) task_in_[runs.slots[run]] = task;
  cost_ += graph_->cost[task] * (std::int64_t{runs.count} - std::int64_t{old.count});
  run_count_ = run_count_ + runs.count - old.count;
  old = runs;
}

void RunSequence::change(TaskId task, const Runs& runs) {
  if (same_runs(runs_[task], runs)) return;
  old_runs_.emplace_back(task, runs_[task]);
  place(task, runs);
  for (const ItemId item : graph_->outputs[task]) refresh(item);
  const Runs& old = old_runs_.back().second;
  for (const ItemId item : graph_->inputs[task]) {
    if (decides_end(item, old, runs)) refresh(item);
  }
}

void RunSequence::note_repeats(TaskId task) {
  std::uint32_t& place = place_in_repeated_[task];
  if (runs_[task].count > 1 && place == nowhere) {
    place = static_cast<std::uint32_t>(repeated_.size());
    repeated_.push_back(task);
  } else if (runs_[task].count <= 1 && place != nowhere) {
    place_in_repeated_[repeated_.back()] = place;
    repeated_[place] = repeated_.back();
    repeated_.pop_back();
    place_in_repeated_[task] = nowhere;
  }
}

void RunSequence::keep() {
  for (const auto& [task, runs] : old_runs_) note_repeats(task);
  old_runs_.clear();
  old_coverage_.clear();
}

void RunSequence::undo() {
  for (; !old_coverage_.empty(); old_coverage_.pop_back()) {
    move_coverage(old_coverage_.back().first, old_coverage_.back().second);
  }
  for (; !old_runs_.empty(); old_runs_.pop_back()) {
    place(old_runs_.back().first, old_runs_.back().second);
  }
}

void RunSequence::respace() { load(sequence()); }

}  // namespace stashscope
