#pragma once

#include <span>

#include "core/allocator/memory_trace.h"

namespace stashscope {

/// The state before the first event of a trace: the events are undone from the end. Sizes of blocks
/// that the trace does not tell are inferred: a block whose rest was too small to be split is as
/// large as the gap behind it, and a tensor that is placed in the gap shows where the block ends. A
/// block for which neither holds gets the rounded size of its tensor.
RecordedState state_before(std::span<const AllocatorEvent> events, const RecordedState& end);

}  // namespace stashscope
