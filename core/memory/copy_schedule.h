#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/dataflow.h"

namespace stashscope {

/// A copy between device and host that runs beside the nodes of the step.
struct OverlappedCopy {
  NodeId node;  ///< starts the copy; of kind offload or fetch
  /// For an offload: the last node beside which the copy runs, or the offload itself if nothing
  /// runs beside the copy. The copied tensor is held until this node ends, and no later node starts
  /// before the copy has ended. For a fetch: the first node that needs the tensor. This node does
  /// not start before the copy has ended.
  NodeId until;

  friend bool operator==(const OverlappedCopy&, const OverlappedCopy&) = default;
};

/// The copies of a step that run beside its nodes. Either all copies of the step are listed, or
/// none. Copies in the same direction run one after the other, in the order of the nodes that start
/// them. A fetch waits for the offload of its tensor.
struct CopySchedule {
  std::vector<OverlappedCopy> copies;

  bool empty() const { return copies.empty(); }
  friend bool operator==(const CopySchedule&, const CopySchedule&) = default;
};

/// Whether the node copies a tensor over the link between device and host.
bool is_copy(const Dataflow& dataflow, NodeId node);

/// The most bytes that offloaded tensors take on the host at once. A tensor is on the host from its
/// offload to its fetch or, if the fetch is in `copies`, to the first node that needs the tensor.
/// @param bytes sizes of the graph's own values
/// @param order the nodes of the dataflow in execution order
std::int64_t host_peak_bytes(const Dataflow& dataflow, const IdVector<ValueId, std::int64_t>& bytes,
                             const std::vector<NodeId>& order, const CopySchedule& copies);

}  // namespace stashscope
