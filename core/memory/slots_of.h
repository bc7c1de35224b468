#pragma once

#include <cstdint>
#include <span>

#include "core/graph/dataflow.h"

namespace stashscope {

/// The slot of every node in an execution order; 0 for nodes that the order lacks.
inline IdVector<NodeId, std::uint32_t> slots_of(const Topology& topology,
                                                std::span<const NodeId> order) {
  IdVector<NodeId, std::uint32_t> slots(topology.nodes(), 0);
  for (std::uint32_t slot = 0; slot < order.size(); ++slot) slots[order[slot]] = slot;
  return slots;
}

}  // namespace stashscope
