#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/graph/dataflow.h"
#include "core/planner/device_profile.h"

namespace stashscope {

/// Seconds that each node of a graph takes.
using NodeTimes = IdVector<NodeId, double>;

/// What each node of a graph does. Both are 0 for views of other tensors and for what only
/// computes with shapes, which the host does beside.
struct NodeWork {
  IdVector<NodeId, double> flops;
  IdVector<NodeId, double> bytes;  ///< read and written in the device's memory, or over the link
};

/// The type that a node computes with: that of its first floating operand, else of its result.
ElementType computing_type(const Graph& graph, const Node& node);

/// @param bytes of the graph's values
NodeWork node_work(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                   const Bindings& bindings, const IdVector<ValueId, std::int64_t>& bytes);

/// The longer of computing and moving, and the launch of a kernel; 0 for no work at all.
/// Source: Williams, Waterman, Patterson, "Roofline: an insightful visual performance model for
/// multicore architectures", CACM 52(4), 2009.
double roofline_seconds(double flops, double bytes, ComputeUnit unit, ElementType element,
                        const DeviceProfile& profile);

/// The same of every node.
NodeTimes roofline_times(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                         const NodeWork& work, const DeviceProfile& profile);

/// What runs of a graph's variants measured of its nodes. A node that ran more than once, because
/// plans recompute it or several runs were added, counts with the mean.
class MeasuredTimes {
 public:
  explicit MeasuredTimes(std::size_t nodes) : seconds_(nodes, 0), runs_(nodes, 0) {}

  /// @param order of the run
  /// @param seconds by slot of that order; a run with another number of slots is not added
  void add(const Dataflow& dataflow, const std::vector<NodeId>& order,
           std::span<const double> seconds);
  /// Sets the times of the nodes that were measured. Returns how many that are.
  std::size_t replace(NodeTimes& times) const;

 private:
  IdVector<NodeId, double> seconds_;
  IdVector<NodeId, int> runs_;
};

}  // namespace stashscope
