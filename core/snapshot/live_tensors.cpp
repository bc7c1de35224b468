#include "core/snapshot/live_tensors.h"

#include "core/snapshot/snapshot_recording.h"

namespace stashscope {

namespace {

LiveTensor tensor_of(const SnapshotEvent& event) {
  return {event.bytes, event.stack, event.user_metadata, event.category};
}

void add_untouched(const MemorySnapshot& snapshot, const SnapshotSegment& segment,
                   const LiveTensors& made, LiveTensors& before) {
  for (const SnapshotBlock& block : segment.blocks) {
    const bool is_free = snapshot.names.text(block.state) == inactive_state;
    if (is_free || made.contains(block.address)) continue;
    before[block.address] = {block.requested_bytes, block.stack, block.user_metadata,
                             block.category};
  }
}

}  // namespace

std::int64_t play_event(const SnapshotNames& names, const SnapshotEvent& event, LiveTensors& live) {
  const AllocatorAction action = action_of(names, event);
  if (action == AllocatorAction::alloc) {
    live[event.address] = tensor_of(event);
    return event.bytes;
  }
  if (action != AllocatorAction::free_completed) return 0;
  const auto found = live.find(event.address);
  if (found == live.end()) return 0;
  const std::int64_t bytes = found->second.bytes;
  live.erase(found);
  return -bytes;
}

LiveTensors tensors_before(const MemorySnapshot& snapshot, std::int64_t device) {
  LiveTensors before;
  LiveTensors made;
  for (const SnapshotEvent& event : events_of(snapshot, device)) {
    const bool frees = action_of(snapshot.names, event) == AllocatorAction::free_completed;
    if (frees && !made.contains(event.address)) before[event.address] = tensor_of(event);
    play_event(snapshot.names, event, made);
  }
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device == device) add_untouched(snapshot, segment, made, before);
  }
  return before;
}

}  // namespace stashscope
