#pragma once

#include <string_view>
#include <vector>

#include "core/allocator/memory_trace.h"
#include "core/snapshot/memory_snapshot.h"

namespace stashscope {

/// What one device of a snapshot did, in the form that is replayed.
struct SnapshotRecording {
  RecordedState end;
  std::vector<AllocatorEvent> events;
};

/// The action of an event by its name; `other` for unknown actions and those without an effect on
/// memory.
AllocatorAction action_of(std::string_view name);

AllocatorAction action_of(const SnapshotNames& names, const SnapshotEvent& event);

/// The device that reserves the most memory at the end of the snapshot.
std::int64_t main_device(const MemorySnapshot& snapshot);
/// Like `main_device`, but only among the devices with events. If no device has events, the main
/// device.
std::int64_t main_traced_device(const MemorySnapshot& snapshot);

/// The events of a device; empty if none were recorded.
const std::vector<SnapshotEvent>& events_of(const MemorySnapshot& snapshot, std::int64_t device);

/// The settings of the allocator that was recorded. Throws an input Error for settings that are not
/// known.
AllocatorSettings settings_of(const MemorySnapshot& snapshot);

/// The recording of one device. Throws an input Error if the blocks of a segment do not fill it, or
/// if the settings are not known.
SnapshotRecording recording_of(const MemorySnapshot& snapshot, std::int64_t device);

}  // namespace stashscope
