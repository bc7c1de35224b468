#include "core/snapshot/snapshot_recording.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/base/error.h"

namespace stashscope {

namespace {

RecordedSegment segment_in(const SnapshotSegment& from, const SnapshotNames& names) {
  RecordedSegment segment{from.address, from.total_bytes, from.stream, from.pool,
                          from.is_expandable};
  std::int64_t end = from.address;
  for (const SnapshotBlock& block : from.blocks) {
    if (block.address != end || block.bytes <= 0) break;
    end += block.bytes;
    segment.blocks.push_back({block.address, block.bytes, block.requested_bytes,
                              names.text(block.state) == inactive_state});
  }
  if (!from.blocks.empty() && end != from.address + from.total_bytes) {
    fail_input("the segment at " + std::to_string(from.address), "its blocks do not fill it",
               "record the snapshot once more");
  }
  return segment;
}

template <class Value>
const Value* setting(const MemorySnapshot& snapshot, std::string_view key) {
  const SnapshotData* const found = snapshot.settings.find(key);
  return found == nullptr ? nullptr : std::get_if<Value>(&found->value);
}

/// @param reserved bytes by device
std::optional<std::int64_t> most_reserving(const std::map<std::int64_t, std::int64_t>& reserved) {
  using Entry = std::pair<const std::int64_t, std::int64_t>;
  const auto most = std::ranges::max_element(reserved, {}, &Entry::second);
  return most == reserved.end() ? std::nullopt : std::optional(most->first);
}

}  // namespace

AllocatorAction action_of(std::string_view name) {
  return action_named(name).value_or(AllocatorAction::other);
}

AllocatorAction action_of(const SnapshotNames& names, const SnapshotEvent& event) {
  return action_of(names.text(event.action));
}

std::int64_t main_device(const MemorySnapshot& snapshot) {
  std::map<std::int64_t, std::int64_t> reserved;
  for (const SnapshotSegment& segment : snapshot.segments) {
    reserved[segment.device] += segment.total_bytes;
  }
  return most_reserving(reserved).value_or(0);
}

std::int64_t main_traced_device(const MemorySnapshot& snapshot) {
  std::map<std::int64_t, std::int64_t> reserved;
  for (std::size_t i = 0; i < snapshot.traces.size(); ++i) {
    if (!snapshot.traces[i].empty()) reserved[static_cast<std::int64_t>(i)] = 0;
  }
  for (const SnapshotSegment& segment : snapshot.segments) {
    const auto found = reserved.find(segment.device);
    if (found != reserved.end()) found->second += segment.total_bytes;
  }
  const auto device = most_reserving(reserved);
  return device ? *device : main_device(snapshot);
}

const std::vector<SnapshotEvent>& events_of(const MemorySnapshot& snapshot, std::int64_t device) {
  static const std::vector<SnapshotEvent> none;
  const auto index = static_cast<std::size_t>(device);
  return index < snapshot.traces.size() ? snapshot.traces[index] : none;
}

AllocatorSettings settings_of(const MemorySnapshot& snapshot) {
  const auto* const text = setting<std::string>(snapshot, "PYTORCH_CUDA_ALLOC_CONF");
  const auto* const split = setting<std::int64_t>(snapshot, "max_split_size");
  const bool* const expandable = setting<bool>(snapshot, "expandable_segments");
  return recorded_settings(text == nullptr ? "" : *text, split == nullptr ? -1 : *split,
                           expandable != nullptr && *expandable);
}

SnapshotRecording recording_of(const MemorySnapshot& snapshot, std::int64_t device) {
  SnapshotRecording recording;
  recording.end.settings = settings_of(snapshot);
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    recording.end.segments.push_back(segment_in(segment, snapshot.names));
  }
  std::ranges::sort(recording.end.segments, {}, &RecordedSegment::address);
  for (const SnapshotEvent& event : events_of(snapshot, device)) {
    recording.events.push_back(
        {action_of(snapshot.names, event), event.address, event.bytes, event.stream});
  }
  return recording;
}

}  // namespace stashscope
