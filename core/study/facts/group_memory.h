#pragma once

#include <vector>

#include "core/memory/node_memory.h"
#include "core/study/step/study.h"

namespace stashscope {

/// A tensor that a node of a group allocates.
struct GroupTensor {
  BufferId buffer;
  NodeId maker;
  std::int64_t bytes = 0;
  bool is_at_peak = false;
};

/// The memory that the nodes of a group allocate.
struct GroupMemory {
  NodeMemory sum;                    ///< of all nodes of the group
  std::vector<GroupTensor> largest;  ///< descending; equal ones in the order of the step
};

/// The memory of a group of nodes of the current dataflow. Parameters and inputs are left out,
/// because no node allocates them.
/// @param nodes ascending
/// @param limit the most tensors that are listed
GroupMemory group_memory(const Study& study, const std::vector<NodeId>& nodes, std::size_t limit);

}  // namespace stashscope
