#pragma once

#include "core/allocator/allocator_advice.h"
#include "core/allocator/memory_trace.h"

namespace stashscope {

/// A tensor of a recorded trace.
struct TraceTensor {
  std::optional<std::size_t> event;  ///< index of its allocation; not set: from before the trace
  std::int64_t address = 0;          ///< as recorded
};

/// Tries settings on a recorded trace. The tensors from before the trace are placed first, by
/// ascending address, into an allocator that holds nothing. Then the trace is played once, with its
/// sizes and times only. Where the trace gives segments back, the allocator gives back all its free
/// segments. The trial with the default settings therefore need not reserve what was recorded.
/// Throws an input Error for a trace that frees a tensor that it does not have, or that has
/// expandable segments.
/// @param name the name of a tensor, for the reason
AllocatorAdvice trace_advice(std::span<const AllocatorEvent> events, const RecordedState& end,
                             const std::function<std::string(const TraceTensor&)>& name);

}  // namespace stashscope
