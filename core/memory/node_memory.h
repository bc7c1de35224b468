#pragma once

#include "core/memory/timeline.h"

namespace stashscope {

/// The buffers that a node allocates.
struct NodeMemory {
  std::int64_t bytes = 0;
  std::int64_t stashed_bytes = 0;  ///< bytes of buffers made in forward and read in backward
  std::int64_t peak_bytes = 0;     ///< bytes of buffers that are alive at the peak
  double byte_slots = 0;           ///< sum over buffers of bytes times lifetime in slots
};

inline NodeMemory operator+(const NodeMemory& a, const NodeMemory& b) {
  return {a.bytes + b.bytes, a.stashed_bytes + b.stashed_bytes, a.peak_bytes + b.peak_bytes,
          a.byte_slots + b.byte_slots};
}

/// Mean lifetime of a byte in slots; 0 without bytes.
inline double average_slots(const NodeMemory& memory) {
  return memory.bytes == 0 ? 0 : memory.byte_slots / static_cast<double>(memory.bytes);
}

/// A value made in forward and read in backward.
struct StashedValue {
  ValueId value;
  NodeId producer;
  std::vector<NodeId> readers;  ///< backward nodes that read the value
  /// Bytes of the value's buffer; 0 if the buffer is persistent, or if another stashed value of the
  /// same buffer has its bytes.
  std::int64_t bytes = 0;
};

/// All values made in forward and read in backward. Clones count as readers.
/// @param is_forward by node of the dataflow
std::vector<StashedValue> stashed_values(const Dataflow& dataflow,
                                         const IdVector<NodeId, bool>& is_forward,
                                         const Timeline& timeline);

/// The memory of each node of the dataflow.
/// @param stashed the result of `stashed_values` for the same dataflow and timeline
IdVector<NodeId, NodeMemory> node_memory(const Dataflow& dataflow, const Timeline& timeline,
                                         const std::vector<StashedValue>& stashed);

}  // namespace stashscope
