#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/snapshot/memory_snapshot.h"

namespace stashscope {

/// A tensor that is alive. Ids are invalid where the snapshot does not have them.
struct LiveTensor {
  std::int64_t bytes = 0;  ///< as the program asked for them, without rounding
  SnapshotStackId stack = {};
  SnapshotTextId module = {};
  SnapshotTextId kind = {};
};
/// By address.
using LiveTensors = std::unordered_map<std::int64_t, LiveTensor>;

/// The tensors of a device before its trace: those that the trace frees but does not make, and
/// those that it never touches.
LiveTensors tensors_before(const MemorySnapshot& snapshot, std::int64_t device);

/// Adds or removes the tensor of an event. Returns the change of the live bytes.
std::int64_t play_event(const SnapshotNames& names, const SnapshotEvent& event, LiveTensors& live);

}  // namespace stashscope
