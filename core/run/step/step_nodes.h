#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/graph/dataflow.h"
#include "core/ops/rules/op.h"
#include "core/run/step/runner.h"

namespace stashscope {

/// What the nodes of a step execute, by the ids of its dataflow: the graph's own nodes, clones of
/// them, and those that put tensors away and bring them back. Refers to the graph and the dataflow.
class StepNodes {
 public:
  StepNodes(const Graph& graph, const Dataflow& dataflow);

  const Node& node(NodeId id) const;
  const Op& op(NodeId id) const;
  /// The since-version of the operator in the graph's opset.
  std::int64_t version(NodeId id) const;
  /// Of a random node: the attribute, or what its first output's name gives, equal for clones. 0
  /// for all others.
  std::uint64_t seed(NodeId id) const;

 private:
  const Graph& graph_;
  const Dataflow& dataflow_;
  IdVector<NodeId, const Op*> ops_;
  std::vector<Node> transfers_;  ///< by place among the added nodes; empty for clones
};

/// The data of a graph input or constant: what is given, else what the model holds. Throws an input
/// Error that names the value where there is none, or where a string is.
Tensor persistent_tensor(const Graph& graph, ValueId id, const NamedTensors& inputs);

/// The gradient that the caller of the YieldOp hands back for one of its operands: what is given,
/// else ones. @param output of the YieldOp; @param like element type and dims of the operand
Tensor returned_gradient(const Graph& graph, ValueId output, const Tensor& like,
                         const NamedTensors& inputs);

/// By name, the dims that depend on data. @param dims of the graph's own values in this run; empty
/// where they are not known
std::map<std::string, std::int64_t> data_dependent_sizes(
    const Graph& graph, const IdVector<ValueId, std::vector<std::int64_t>>& dims);

/// Operators that `has_kernel` does not know, `domain.type`, in the graph and all graphs inside of
/// its nodes. Throws an input Error that lists them after `runner`, e.g. "the CPU runner".
void require_kernels(const Graph& graph, bool (*has_kernel)(const Node&),
                     const std::string& runner);

}  // namespace stashscope
