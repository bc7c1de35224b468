#pragma once

#include <optional>

#include "core/allocator/allocator_settings.h"
#include "core/snapshot/memory_snapshot.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The moment at which a snapshot of a step ends.
enum class SnapshotMoment : std::uint8_t { end, peak };

/// The current step as a memory snapshot of PyTorch: its tensors played through the allocator with
/// these settings, until the step reserves no more. The trace is that of the last step; what exists
/// before the step is only in the segments. The time of an event is that of its node. The stack of
/// a tensor has the source line of the node that made it, then its modules. The module is also the
/// event's `user_metadata`, and the band is its `category`.
/// @param moment the segments are those at the end of the step, or while the node at the peak runs;
/// the trace ends there
MemorySnapshot step_snapshot(const Study& study, const AllocatorSettings& settings,
                             SnapshotMoment moment = SnapshotMoment::end);

}  // namespace stashscope
