#include "core/arena/arena.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"

namespace stashscope {

namespace {

/// A start or an end of a buffer's life. Of events at the same time, ends come first.
struct LifeEvent {
  std::int64_t time = 0;
  bool is_start = false;
  std::size_t buffer = 0;

  friend auto operator<=>(const LifeEvent&, const LifeEvent&) = default;
};

std::vector<LifeEvent> life_events(const std::vector<ArenaBuffer>& buffers) {
  std::vector<LifeEvent> events;
  events.reserve(2 * buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].bytes == 0) continue;
    events.push_back({buffers[i].lower, true, i});
    events.push_back({buffers[i].upper, false, i});
  }
  std::sort(events.begin(), events.end());
  return events;
}

std::optional<std::size_t> outside(const std::vector<ArenaBuffer>& buffers,
                                   const ArenaPlacement& placement) {
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::int64_t offset = placement.offsets[i];
    if (offset < 0 || offset > placement.capacity - buffers[i].bytes) return i;
  }
  return std::nullopt;
}

/// The live buffers by offset.
using LiveBuffers = std::map<std::int64_t, std::size_t>;

/// The live buffer that shares bytes with a new one, if there is one.
std::optional<std::size_t> shares_bytes(const std::vector<ArenaBuffer>& buffers,
                                        const LiveBuffers& live, std::int64_t offset,
                                        std::int64_t bytes) {
  const auto above = live.lower_bound(offset);
  if (above != live.end() && above->first < offset + bytes) return above->second;
  if (above == live.begin()) return std::nullopt;
  const auto& [below, buffer] = *std::prev(above);
  return below + buffers[buffer].bytes > offset ? std::optional(buffer) : std::nullopt;
}

}  // namespace

std::int64_t load_bound(const std::vector<ArenaBuffer>& buffers) {
  std::int64_t live = 0;
  std::int64_t most = 0;
  for (const LifeEvent& event : life_events(buffers)) {
    live += event.is_start ? buffers[event.buffer].bytes : -buffers[event.buffer].bytes;
    most = std::max(most, live);
  }
  return most;
}

std::int64_t capacity_of(const std::vector<ArenaBuffer>& buffers,
                         const std::vector<std::int64_t>& offsets) {
  std::int64_t capacity = 0;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    capacity = std::max(capacity, offsets[i] + buffers[i].bytes);
  }
  return capacity;
}

std::optional<ArenaFault> find_fault(const std::vector<ArenaBuffer>& buffers,
                                     const ArenaPlacement& placement) {
  if (const auto buffer = outside(buffers, placement)) return ArenaFault{*buffer, std::nullopt};
  LiveBuffers live;
  for (const LifeEvent& event : life_events(buffers)) {
    const std::int64_t offset = placement.offsets[event.buffer];
    if (!event.is_start) {
      live.erase(offset);
      continue;
    }
    const auto other = shares_bytes(buffers, live, offset, buffers[event.buffer].bytes);
    if (other) return ArenaFault{event.buffer, other};
    live[offset] = event.buffer;
  }
  return std::nullopt;
}

void require_right(const std::vector<ArenaBuffer>& buffers, const ArenaPlacement& placement,
                   const std::string& where, const std::string& input) {
  const auto fault = find_fault(buffers, placement);
  if (!fault) return;
  fail_run(where, "is wrong at buffer " + std::to_string(fault->buffer + 1),
           "please report this with " + input);
}

double arena_ratio(std::int64_t capacity, std::int64_t load_bound) {
  if (load_bound == 0) return 1;
  return static_cast<double>(capacity) / static_cast<double>(load_bound);
}

}  // namespace stashscope
