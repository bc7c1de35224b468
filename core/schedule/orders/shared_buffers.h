#pragma once

#include "core/memory/step_memory.h"

namespace stashscope {

/// Whose memory comes and goes when a node runs, as list schedulers see it: values that always
/// share a buffer are one, called by the value that it is allocated for. What is there throughout
/// is left out. That an output takes the place of an input is left to the timeline: then as much is
/// freed as is allocated.
struct SharedBuffers {
  IdRows<NodeId, ValueId> made;
  IdRows<NodeId, ValueId> read;           ///< each once
  IdVector<ValueId, std::int64_t> bytes;  ///< of buffers; 0 for values that live in others'
  IdVector<ValueId, bool> is_kept;        ///< still there after the step
  IdRows<ValueId, NodeId> readers;        ///< of buffers, each once

  SharedBuffers(const Dataflow& dataflow, const StepMemory& memory);
};

}  // namespace stashscope
