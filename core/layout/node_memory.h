#pragma once

#include "core/layout/grouping.h"
#include "core/memory/timeline.h"

namespace stashscope::layout {

/// What a node puts into memory: the buffers that are allocated when it runs.
struct NodeMemory {
  std::int64_t bytes = 0;
  std::int64_t stashed_bytes = 0;  ///< of these, made in forward and read in backward
  std::int64_t peak_bytes = 0;     ///< of these, alive at the peak
  double byte_steps = 0;           ///< sum of bytes times the steps they stay
};

inline NodeMemory operator+(const NodeMemory& a, const NodeMemory& b) {
  return {a.bytes + b.bytes, a.stashed_bytes + b.stashed_bytes, a.peak_bytes + b.peak_bytes,
          a.byte_steps + b.byte_steps};
}

/// Steps that an average byte stays; 0 when there are none.
inline double average_steps(const NodeMemory& memory) {
  return memory.bytes == 0 ? 0 : memory.byte_steps / static_cast<double>(memory.bytes);
}

/// By node of the dataflow.
IdVector<NodeId, NodeMemory> node_memory(const Dataflow& dataflow, const Grouping& grouping,
                                         const Timeline& timeline);

/// A value that leaves forward for backward.
struct Stash {
  ValueId value;
  NodeId producer;
  std::vector<NodeId> readers;  ///< those in backward
  std::int64_t bytes = 0;       ///< 0 when it shares another stash's buffer
};

/// All values that are made in forward and read in backward, clones' readers included.
std::vector<Stash> find_stashes(const Dataflow& dataflow, const Grouping& grouping,
                                const Timeline& timeline);

}  // namespace stashscope::layout
