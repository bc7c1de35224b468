#pragma once

#include <span>

#include "core/allocator/memory_trace.h"

namespace stashscope {

/// The state before the first event of a trace, found by undoing the events from the end. Sizes of
/// blocks that the trace does not tell are inferred. If the gap behind a tensor is too small to be
/// split off, the block includes the gap. Otherwise, the first tensor that the trace places in the
/// gap shows where the block ends. A block for which neither holds gets the rounded size of its
/// tensor.
RecordedState state_before(std::span<const AllocatorEvent> events, const RecordedState& end);

}  // namespace stashscope
