#pragma once

#include "core/memory/step_memory.h"

namespace stashscope {

/// The buffers that each node allocates and reads, for list schedulers. Values that always share a
/// buffer count as one buffer, identified by the value that allocates it. Persistent buffers are
/// left out. In-place outputs are not modelled, because they free as many bytes as they allocate.
struct SharedBuffers {
  IdRows<NodeId, ValueId> made;
  IdRows<NodeId, ValueId> read;  ///< each buffer once
  IdVector<ValueId, std::int64_t>
      bytes;  ///< bytes of each buffer; 0 for values that share another value's buffer
  IdVector<ValueId, bool> is_kept;  ///< whether the buffer outlives the step
  IdRows<ValueId, NodeId> readers;  ///< readers of each buffer, each reader once

  SharedBuffers(const Dataflow& dataflow, const StepMemory& memory);
};

}  // namespace stashscope
