#pragma once

#include <vector>

#include "core/memory/node_memory.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The memory that each node of the current dataflow allocates.
IdVector<NodeId, NodeMemory> memory_of_nodes(const Study& study);

/// A tensor that a node of a group allocates.
struct GroupTensor {
  BufferId buffer;
  NodeId maker;
  std::int64_t bytes = 0;
  bool is_at_peak = false;
};

/// The memory that the nodes of a group allocate.
struct GroupMemory {
  NodeMemory sum;  ///< of all nodes of the group
  /// By descending bytes; tensors of equal size are in the order of the step.
  std::vector<GroupTensor> largest;
  /// Bytes of stashed values that nodes of the group make in buffers that other nodes allocated.
  /// Views are an example.
  std::int64_t stashed_elsewhere = 0;
  /// The part of `sum.stashed_bytes` that nodes outside of the group wrote: they work in place, and
  /// so took over memory that the group allocated.
  std::int64_t stashed_by_others = 0;
  std::vector<NodeId> others;  ///< these nodes, in the order of the graph
  /// Bytes of parameters, inputs and optimizer states that belong to the group.
  std::int64_t given_bytes = 0;
};

/// The memory of a group of nodes of the current dataflow. The sum and the tensors leave out
/// parameters, inputs and optimizer states, because no node allocates them.
/// @param nodes ascending
/// @param limit the largest number of tensors that are listed
GroupMemory group_memory(const Study& study, const std::vector<NodeId>& nodes, std::size_t limit);

}  // namespace stashscope
