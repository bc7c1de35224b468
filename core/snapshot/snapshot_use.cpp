#include "core/snapshot/snapshot_use.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/snapshot/live_tensors.h"
#include "core/snapshot/places.h"
#include "core/snapshot/snapshot_recording.h"

namespace stashscope {

namespace {

struct Level {
  std::int64_t bytes = 0;
  std::int64_t most = 0;
  std::size_t most_at = 0;  ///< number of events until then

  void add(std::int64_t change, std::size_t events) {
    bytes += change;
    if (bytes <= most) return;
    most = bytes;
    most_at = events;
  }
};

class UseReader {
 public:
  UseReader(const MemorySnapshot& snapshot, std::int64_t device)
      : snapshot_(snapshot), device_(device), events_(events_of(snapshot, device)) {}

  SnapshotUse read() {
    const LiveTensors before = tensors_before(snapshot_, device_);
    Level tensors;
    for (const auto& [address, tensor] : before) tensors.bytes += tensor.bytes;
    tensors.most = tensors.bytes;
    Level reserved = reserved_before();
    LiveTensors live = before;
    for (std::size_t at = 0; at < events_.size(); ++at) {
      tensors.add(play_event(snapshot_.names, events_[at], live), at + 1);
      reserved.add(reserved_change(events_[at]), at + 1);
    }
    SnapshotUse use{device_, tensors.most, tensors.bytes, reserved.most, reserved.bytes, {}, {},
                    {}};
    live = before;
    for (std::size_t at = 0; at < tensors.most_at; ++at) {
      play_event(snapshot_.names, events_[at], live);
    }
    add_shares(live, use);
    return use;
  }

 private:
  AllocatorAction action(const SnapshotEvent& event) const {
    return action_of(snapshot_.names, event);
  }

  std::int64_t reserved_change(const SnapshotEvent& event) const {
    switch (action(event)) {
      case AllocatorAction::segment_alloc:
      case AllocatorAction::segment_map:
        return event.bytes;
      case AllocatorAction::segment_free:
      case AllocatorAction::segment_unmap:
        return -event.bytes;
      default:
        return 0;
    }
  }

  Level reserved_before() const {
    Level level;
    for (const SnapshotSegment& segment : snapshot_.segments) {
      if (segment.device == device_) level.bytes += segment.total_bytes;
    }
    for (const SnapshotEvent& event : events_) level.bytes -= reserved_change(event);
    level.most = level.bytes;
    return level;
  }

  void add_shares(const LiveTensors& live, SnapshotUse& use) const {
    std::map<std::string, std::int64_t> frames;
    std::map<std::string, std::int64_t> modules;
    std::map<std::string, std::int64_t> kinds;
    std::unordered_map<SnapshotStackId, std::string> places;
    for (const auto& [address, tensor] : live) {
      const auto [place, is_new] = places.try_emplace(tensor.stack);
      if (is_new) place->second = place_of(snapshot_.names, tensor.stack);
      frames[place->second] += tensor.bytes;
      modules[known(tensor.module)] += tensor.bytes;
      kinds[known(tensor.kind)] += tensor.bytes;
    }
    use.frames = sorted(frames);
    use.modules = sorted(modules);
    use.kinds = sorted(kinds);
  }

  std::string known(SnapshotTextId id) const {
    const std::string& text = snapshot_.names.text(id);
    return text.empty() ? "unknown" : text;
  }

  static std::vector<SnapshotShare> sorted(const std::map<std::string, std::int64_t>& shares) {
    std::vector<SnapshotShare> list;
    list.reserve(shares.size());
    for (const auto& [name, bytes] : shares) list.push_back({name, bytes});
    std::ranges::stable_sort(list, std::greater(), &SnapshotShare::bytes);
    return list;
  }

  const MemorySnapshot& snapshot_;
  std::int64_t device_;
  const std::vector<SnapshotEvent>& events_;
};

}  // namespace

SnapshotUse snapshot_use(const MemorySnapshot& snapshot) {
  return UseReader(snapshot, main_device(snapshot)).read();
}

std::vector<SharePair> paired(const std::vector<SnapshotShare>& left,
                              const std::vector<SnapshotShare>& right) {
  std::map<std::string, SharePair> pairs;
  for (const SnapshotShare& each : left) pairs[each.name].left = each.bytes;
  for (const SnapshotShare& each : right) pairs[each.name].right = each.bytes;
  std::vector<SharePair> list;
  list.reserve(pairs.size());
  for (const auto& [name, pair] : pairs) list.push_back({name, pair.left, pair.right});
  std::ranges::stable_sort(list, std::greater(),
                           [](const SharePair& pair) { return std::abs(pair.difference()); });
  return list;
}

}  // namespace stashscope
