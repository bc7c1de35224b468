#include "core/run/cuda/device/trace_join.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "core/base/text.h"
#include "core/run/cuda/device/device_memory.h"

namespace stashscope::cuda {

namespace {

constexpr std::array pools = {Pool::tensors, Pool::workspaces};
constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();

/// Pointers to all records of one pool, in order; or one pointer for each host event, to the record
/// of the event (null: the event has no record).
using Matches = std::vector<const MemoryRecord*>;

bool touches_memory(const HostEvent& event) {
  return event.kind == HostEvent::Kind::allocate || event.kind == HostEvent::Kind::release;
}

std::set<std::uint64_t> addresses_of(const std::vector<HostEvent>& events, Pool pool) {
  std::set<std::uint64_t> addresses;
  for (const HostEvent& event : events) {
    if (touches_memory(event) && event.pool == pool) addresses.insert(event.address);
  }
  return addresses;
}

/// Groups the records by the address of their pool. The records of a pool are in the order in which
/// the host made the allocations and releases.
std::map<std::uint64_t, Matches> by_pool(const std::vector<MemoryRecord>& records) {
  std::map<std::uint64_t, Matches> pools_seen;
  for (const MemoryRecord& record : records) pools_seen[record.pool].push_back(&record);
  for (auto& [pool, members] : pools_seen) {
    std::ranges::stable_sort(members, {}, [](const MemoryRecord* record) {
      return std::pair(record->time, record->correlation);
    });
  }
  return pools_seen;
}

/// The records of the pool whose allocations have the given `addresses`. The profiling library
/// identifies a pool by a number that the runner does not know. Pools share no memory, so the pool
/// with most records at `addresses` is the right one. Empty if no pool has such records.
Matches records_of(const std::map<std::uint64_t, Matches>& pools_seen,
                   const std::set<std::uint64_t>& addresses) {
  const Matches* best = nullptr;
  std::ptrdiff_t most = 0;
  for (const auto& [pool, members] : pools_seen) {
    const std::ptrdiff_t shared = std::ranges::count_if(
        members, [&](const MemoryRecord* record) { return addresses.contains(record->address); });
    if (shared > most) {
      best = &members;
      most = shared;
    }
  }
  return best == nullptr ? Matches{} : *best;
}

std::uint64_t key_of(std::uint64_t address, bool allocates) {
  return address | (allocates ? 1U : 0U);  // bit 0 of an aligned address is 0
}

/// Assigns records to events of a pool. The runner knows all events of its pools, so the records
/// are a subsequence of the events. Therefore each record belongs to the next event of the same
/// kind and address.
class PoolMatcher {
 public:
  PoolMatcher(const std::vector<HostEvent>& events, Pool pool) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      const HostEvent& event = events[i];
      if (!touches_memory(event) || event.pool != pool) continue;
      places_[key_of(event.address, event.kind == HostEvent::Kind::allocate)].push_back(i);
    }
  }

  /// Sets `matches` for the events that have a record. Returns the number of records that match no
  /// event.
  std::int64_t match(const Matches& records, Matches& matches) {
    std::int64_t strangers = 0;
    std::size_t next = 0;
    for (const MemoryRecord* const record : records) {
      const std::size_t place = place_from(next, key_of(record->address, record->allocates));
      if (place == nothing) {
        ++strangers;
      } else {
        matches[place] = record;
        next = place + 1;
      }
    }
    return strangers;
  }

 private:
  std::size_t place_from(std::size_t first, std::uint64_t key) const {
    const auto found = places_.find(key);
    if (found == places_.end()) return nothing;
    const auto place = std::ranges::lower_bound(found->second, first);
    return place == found->second.end() ? nothing : *place;
  }

  std::unordered_map<std::uint64_t, std::vector<std::size_t>> places_;
};

/// The time during which the kernels of one slot ran, in ns of the device's clock.
struct StepSpan {
  std::uint64_t start = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t end = 0;
  std::uint64_t busy = 0;
  std::int64_t kernels = 0;

  void add(const KernelRecord& kernel) {
    start = std::min(start, kernel.start);
    end = std::max(end, kernel.end);
    busy += kernel.end - kernel.start;
    ++kernels;
  }
};

double seconds_of(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

std::vector<StepSpan> spans_of(const TraceRecords& records, std::size_t steps) {
  std::unordered_map<std::uint32_t, std::uint32_t> step_of_call;
  for (const StepRecord& record : records.steps) step_of_call[record.correlation] = record.step;
  std::vector<StepSpan> spans(steps);
  for (const KernelRecord& kernel : records.kernels) {
    const auto step = step_of_call.find(kernel.correlation);
    if (step != step_of_call.end() && step->second < steps) spans[step->second].add(kernel);
  }
  return spans;
}

std::size_t steps_of(const std::vector<HostEvent>& events) {
  std::size_t steps = 0;
  for (const HostEvent& event : events) {
    if (!touches_memory(event)) steps = std::max(steps, std::size_t{event.step} + 1);
  }
  return steps;
}

/// Bytes of a pool in use after each of its events. Each number comes from the record of its event.
/// Without a record, the requested bytes, rounded up, are added to the previous number at an
/// allocation and subtracted at a release.
/// @param used bytes of the pool in use before the first event
std::vector<std::int64_t> used_after(const std::vector<HostEvent>& events, Pool pool,
                                     std::int64_t used, const Matches& matches) {
  std::vector<std::int64_t> all(events.size(), used);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const HostEvent& event = events[i];
    if (!touches_memory(event) || event.pool != pool) continue;
    const std::int64_t bytes = allocated_bytes(event.bytes);
    used += event.kind == HostEvent::Kind::allocate ? bytes : -bytes;
    if (!matches.empty() && matches[i] != nullptr) used = matches[i]->pool_used;
    all[i] = used;
  }
  return all;
}

/// The peak of a pool: the maximum of `start` and of `used` after the pool's events.
std::int64_t most_of(const std::vector<HostEvent>& events, Pool pool, std::int64_t start,
                     const std::vector<std::int64_t>& used) {
  std::int64_t most = start;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (touches_memory(events[i]) && events[i].pool == pool) most = std::max(most, used[i]);
  }
  return most;
}

class TraceWriter {
 public:
  TraceWriter(const std::vector<StepSpan>& spans, const PoolBytes& start,
              std::vector<TraceEvent>& events)
      : spans_(spans), events_(events) {
    state_of(Pool::tensors).used = start[Pool::tensors];
    for (const StepSpan& span : spans_) first_ = std::min(first_, span.start);
    now_ = first_;
  }

  /// @param used bytes of the event's pool in use after the event
  void write(const HostEvent& event, const MemoryRecord* record, std::int64_t used) {
    switch (event.kind) {
      case HostEvent::Kind::node_start:
        pass_until(spans_[event.step].start, event);
        emit(TraceEvent::Kind::node_start, event, 0);
        break;
      case HostEvent::Kind::node_end:
        pass_until(spans_[event.step].end, event);
        emit(TraceEvent::Kind::node_end, event, 0);
        break;
      case HostEvent::Kind::allocate:
      case HostEvent::Kind::release:
        write_memory(event, record, used);
        break;
    }
  }

 private:
  struct PoolState {
    std::int64_t used = 0;
    std::int64_t reserved = 0;
  };

  PoolState& state_of(Pool pool) { return states_[static_cast<std::size_t>(pool)]; }

  /// Advances the clock to `time`, except for a node without kernels, which takes no time.
  void pass_until(std::uint64_t time, const HostEvent& event) {
    if (spans_[event.step].kernels > 0) now_ = std::max(now_, time);
  }

  void write_memory(const HostEvent& event, const MemoryRecord* record, std::int64_t used) {
    const bool allocates = event.kind == HostEvent::Kind::allocate;
    PoolState& state = state_of(event.pool);
    state.used = used;
    if (record != nullptr) state.reserved = record->pool_reserved;
    if (event.pool == Pool::workspaces) {
      emit(TraceEvent::Kind::workspace, event, state.used);
    } else {
      emit(allocates ? TraceEvent::Kind::allocate : TraceEvent::Kind::release, event, event.bytes);
    }
    tell_reserved(event);
  }

  void tell_reserved(const HostEvent& event) {
    const std::int64_t reserved =
        state_of(Pool::tensors).reserved + state_of(Pool::workspaces).reserved;
    if (reserved <= most_reserved_) return;
    most_reserved_ = reserved;
    emit(TraceEvent::Kind::reserved, event, reserved);
    events_.back().name.clear();
  }

  void emit(TraceEvent::Kind kind, const HostEvent& event, std::int64_t bytes) {
    events_.push_back({kind, event.step, bytes, state_of(Pool::tensors).used,
                       seconds_of(now_ - first_), event.name});
  }

  const std::vector<StepSpan>& spans_;
  std::vector<TraceEvent>& events_;
  std::array<PoolState, pools.size()> states_{};
  std::int64_t most_reserved_ = 0;
  std::uint64_t first_ = StepSpan().start;
  std::uint64_t now_ = 0;
};

Pool other(Pool pool) { return pool == Pool::tensors ? Pool::workspaces : Pool::tensors; }

std::string pool_name(Pool pool) { return pool == Pool::tensors ? "tensors" : "workspaces"; }

/// Stores the record of each event in `matches`. Returns a remark for each pool that has records
/// without a matching event.
std::vector<std::string> match_pools(const std::vector<HostEvent>& events,
                                     const TraceRecords& records, Matches& matches) {
  std::vector<std::string> remarks;
  const std::map<std::uint64_t, Matches> pools_seen = by_pool(records.memory);
  for (const Pool pool : pools) {
    const std::set<std::uint64_t> others = addresses_of(events, other(pool));
    Matches of_pool = records_of(pools_seen, addresses_of(events, pool));
    // If the library reports both pools as one pool, this removes the records at the other pool's
    // addresses.
    std::erase_if(of_pool, [&](const MemoryRecord* each) {
      return pools_seen.size() == 1 && others.contains(each->address);
    });
    const std::int64_t strangers = PoolMatcher(events, pool).match(of_pool, matches);
    if (strangers > 0) {
      remarks.push_back(std::to_string(strangers) + " records of the memory pool for " +
                        pool_name(pool) + " match no allocation or release of the runner");
    }
  }
  return remarks;
}

void remark_missing(const std::vector<HostEvent>& events, const Matches& matches, Pool pool,
                    std::vector<std::string>& remarks) {
  std::int64_t all = 0;
  std::int64_t missing = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!touches_memory(events[i]) || events[i].pool != pool) continue;
    ++all;
    missing += matches[i] == nullptr ? 1 : 0;
  }
  if (missing == 0) return;
  remarks.push_back(std::to_string(missing) + " of " + std::to_string(all) +
                    " allocations and releases in the memory pool for " + pool_name(pool) +
                    " have no record; for these, the requested bytes are counted");
}

void remark_kernels(const TraceRecords& records, const std::vector<StepWork>& work,
                    std::vector<std::string>& remarks) {
  if (records.dropped > 0) {
    remarks.push_back("the profiling library dropped " + std::to_string(records.dropped) +
                      " records");
  }
  const bool timed =
      std::ranges::any_of(work, [](const StepWork& step) { return step.kernels > 0; });
  if (!timed && !work.empty()) {
    remarks.push_back("no record of a kernel belongs to a node, so the times of nodes are unknown");
  }
}

/// Whether the bytes in use fall at an allocation or rise at a release. If so, the records do not
/// describe the state right after their events.
bool moves_against(const std::vector<HostEvent>& events, Pool pool, std::int64_t last,
                   const std::vector<std::int64_t>& used) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!touches_memory(events[i]) || events[i].pool != pool) continue;
    const bool allocates = events[i].kind == HostEvent::Kind::allocate;
    if (allocates ? used[i] < last : used[i] > last) return true;
    last = used[i];
  }
  return false;
}

/// Bytes of a pool in use after each of its events, by the records or by the requested bytes. The
/// requested bytes win if their peak is closer to the peak that the pool counted, or if both peaks
/// are equally close and moves_against is true for the records. If the pool's peak is unknown, the
/// records win.
std::vector<std::int64_t> believed_use(const std::vector<HostEvent>& events, Pool pool,
                                       const Matches& matches, const PoolBytes& start,
                                       const PoolBytes& most, std::vector<std::string>& remarks) {
  std::vector<std::int64_t> told = used_after(events, pool, start[pool], matches);
  const std::int64_t told_most = most_of(events, pool, start[pool], told);
  const bool moves_wrongly = moves_against(events, pool, start[pool], told);
  if (most[pool] == 0 || (told_most == most[pool] && !moves_wrongly)) return told;
  std::vector<std::int64_t> counted = used_after(events, pool, start[pool], {});
  const std::int64_t counted_most = most_of(events, pool, start[pool], counted);
  const std::int64_t told_apart = std::abs(told_most - most[pool]);
  const std::int64_t counted_apart = std::abs(counted_most - most[pool]);
  const bool counts = counted_apart < told_apart || (moves_wrongly && counted_apart == told_apart);
  const std::string contradiction = "contradict the order of the runner's allocations and releases";
  const std::string fault = told_apart == 0
                                ? ", as its records say, but these records " + contradiction
                                : ", but its records give a peak of " + format_bytes(told_most) +
                                      (moves_wrongly ? " and " + contradiction : "");
  remarks.push_back(
      "the memory pool for " + pool_name(pool) + " had at most " + format_bytes(most[pool]) +
      " in use" + fault +
      (counts ? "; counting the requested bytes instead gives " + format_bytes(counted_most) : ""));
  return counts ? counted : told;
}

}  // namespace

JoinedTrace join_trace(const std::vector<HostEvent>& events, const TraceRecords& records,
                       const PoolBytes& start, const PoolBytes& most) {
  JoinedTrace joined;
  const std::vector<StepSpan> spans = spans_of(records, steps_of(events));
  for (const StepSpan& span : spans) joined.work.push_back({seconds_of(span.busy), span.kernels});
  remark_kernels(records, joined.work, joined.remarks);

  Matches matches(events.size(), nullptr);
  std::ranges::move(match_pools(events, records, matches), std::back_inserter(joined.remarks));
  for (const Pool pool : pools) remark_missing(events, matches, pool, joined.remarks);

  const std::array used = {
      believed_use(events, Pool::tensors, matches, start, most, joined.remarks),
      believed_use(events, Pool::workspaces, matches, start, most, joined.remarks)};
  TraceWriter writer(spans, start, joined.events);
  for (std::size_t i = 0; i < events.size(); ++i) {
    writer.write(events[i], matches[i], used[static_cast<std::size_t>(events[i].pool)][i]);
  }
  return joined;
}

}  // namespace stashscope::cuda
