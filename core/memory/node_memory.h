#pragma once

#include "core/memory/timeline.h"

namespace stashscope {

/// What a node puts into memory: the buffers that are allocated when it runs.
struct NodeMemory {
  std::int64_t bytes = 0;
  std::int64_t stashed_bytes = 0;  ///< of these, made in forward and read in backward
  std::int64_t peak_bytes = 0;     ///< of these, alive at the peak
  double byte_slots = 0;           ///< sum of bytes times the steps they stay
};

inline NodeMemory operator+(const NodeMemory& a, const NodeMemory& b) {
  return {a.bytes + b.bytes, a.stashed_bytes + b.stashed_bytes, a.peak_bytes + b.peak_bytes,
          a.byte_slots + b.byte_slots};
}

/// Steps that an average byte stays; 0 when there are none.
inline double average_slots(const NodeMemory& memory) {
  return memory.bytes == 0 ? 0 : memory.byte_slots / static_cast<double>(memory.bytes);
}

/// By node of the dataflow.
/// @param is_forward by node of the dataflow
IdVector<NodeId, NodeMemory> node_memory(const Dataflow& dataflow,
                                         const IdVector<NodeId, bool>& is_forward,
                                         const Timeline& timeline);

/// A value that forward makes and backward reads.
struct StashedValue {
  ValueId value;
  NodeId producer;
  std::vector<NodeId> readers;  ///< those in backward
  std::int64_t bytes = 0;       ///< 0 when it shares the buffer of another stashed value
};

/// All values that forward makes and backward reads; clones count as readers.
/// @param is_forward by node of the dataflow
std::vector<StashedValue> stashed_values(const Dataflow& dataflow,
                                         const IdVector<NodeId, bool>& is_forward,
                                         const Timeline& timeline);

}  // namespace stashscope
