#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/graph/dataflow.h"
#include "core/planner/device_profile.h"

namespace stashscope {

/// Seconds of each node of a graph in one step.
using NodeTimes = IdVector<NodeId, double>;

/// The work of each node of a graph in one step. Both figures are 0 for views. They are also 0 for
/// nodes that only compute shapes, because the host runs these nodes in parallel to the device.
struct NodeWork {
  IdVector<NodeId, double> flops;
  IdVector<NodeId, double>
      bytes;        ///< bytes read plus written in device memory, or moved over the link
  double runs = 1;  ///< how often a node runs in a step: once for each micro-batch
};

/// The element type in which a node computes: the type of its first floating-point input or output.
/// Without a floating-point value, the type of its last value.
ElementType computing_type(const Graph& graph, const Node& node);

/// The work of every node of a graph. @param bytes sizes of the graph's values
NodeWork node_work(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                   const Bindings& bindings, const IdVector<ValueId, std::int64_t>& bytes);

/// Time of a node: the maximum of compute time and memory time, plus the launch time; 0 if the node
/// has no work.
/// Source: Williams, Waterman, Patterson, "Roofline: an insightful visual performance model for
/// multicore architectures", CACM 52(4), 2009.
double roofline_seconds(double flops, double bytes, ComputeUnit unit, ElementType element,
                        const DeviceProfile& profile);

/// The roofline time of every node, of all its runs in a step.
NodeTimes roofline_times(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                         const NodeWork& work, const DeviceProfile& profile);

/// Collects measured node times from runs of a graph's variants. A node that ran several times, by
/// recompute or in several runs, gets the mean.
class MeasuredTimes {
 public:
  explicit MeasuredTimes(std::size_t nodes) : seconds_(nodes, 0), runs_(nodes, 0) {}

  /// @param order the nodes of the run in execution order
  /// @param seconds time of each slot of `order`; a run with another number of slots is ignored
  void add(const Dataflow& dataflow, const std::vector<NodeId>& order,
           std::span<const double> seconds);
  /// Sets the times of all measured nodes in `times` to the measured times. Returns the number of
  /// these nodes.
  std::size_t replace(NodeTimes& times) const;

 private:
  IdVector<NodeId, double> seconds_;
  IdVector<NodeId, int> runs_;
};

}  // namespace stashscope
