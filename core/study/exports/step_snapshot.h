#pragma once

#include <optional>

#include "core/allocator/allocator_settings.h"
#include "core/snapshot/memory_snapshot.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The moment at which a snapshot of a step ends.
enum class SnapshotMoment : std::uint8_t { end, peak };

/// The current step as a memory snapshot of PyTorch. The tensors of the step are played through the
/// allocator with these settings; the step is repeated until it reserves no more memory. The trace
/// shows the last repetition. Tensors that exist before the step are in the segments, but not in
/// the trace. The time of an event is the time of its node. The stack of a tensor has the source
/// line of the node that the tensor belongs to (`home_nodes`), then the modules of this node. The
/// innermost module is also the event's `user_metadata`, and the band is its `category`.
/// @param moment the moment at which the trace ends: at the end of the step, or while the node at
/// the peak runs. The snapshot has the segments of this moment
MemorySnapshot step_snapshot(const Study& study, const AllocatorSettings& settings,
                             SnapshotMoment moment = SnapshotMoment::end);

}  // namespace stashscope
