#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/graph/dataflow.h"
#include "core/ops/rules/op.h"
#include "core/run/step/runner.h"

namespace stashscope {

/// The node, operator, version and seed behind each id of a step's dataflow: the graph's own nodes,
/// their clones, and the transfers that evict tensors and bring them back. Keeps references to the
/// graph and the dataflow.
class StepNodes {
 public:
  StepNodes(const Graph& graph, const Dataflow& dataflow);

  const Node& node(NodeId id) const;
  const Op& op(NodeId id) const;
  /// The since-version of the node's operator in the graph's opset.
  std::int64_t version(NodeId id) const;
  /// The seed of a random node: its seed attribute, else a number derived from a name, so that
  /// clones draw the same numbers. The name is that of the node's first output or, if this output
  /// is left out, that of the node itself. The seed of a node that is not random is 0.
  std::uint64_t seed(NodeId id) const;

  /// An output of a YieldOp, which is the gradient of `operand`.
  struct Returned {
    ValueId output;
    ValueId operand;
  };
  /// The gradients that a YieldOp returns, in the order of its outputs.
  std::vector<Returned> returned(NodeId yield) const;

 private:
  const Graph& graph_;
  const Dataflow& dataflow_;
  IdVector<NodeId, const Op*> ops_;
  std::vector<Node> transfers_;  ///< one entry for each added node; unused for clones
};

/// The data of a graph input or constant: from `inputs`, else from the model. In a step that is
/// split into micro-batches, an input with samples gets the samples of one micro-batch, and a sum
/// of gradients gets zeros. Throws an input Error that names the value when it has no data, when
/// given data does not fit the model, when the micro-batches do not divide its samples, or when the
/// elements are strings.
/// @param micro_batch the number of the micro-batch, from 0
Tensor persistent_tensor(const Graph& graph, ValueId id, const NamedTensors& inputs,
                         std::int64_t micro_batch = 0);

/// The gradient that the caller returns for one operand of a YieldOp: from `inputs`, else all ones.
/// Throws an input Error when the given data has another element type or other dims than `like`.
/// @param output the YieldOp's output
/// @param like a tensor with the element type and dims of the gradient
Tensor returned_gradient(const Graph& graph, ValueId output, const Tensor& like,
                         const NamedTensors& inputs);

/// Sizes of the data-dependent dims by name. @param dims_of returns the dims that a value of the
/// graph has in this run; empty if unknown
std::map<std::string, std::int64_t> data_dependent_sizes(
    const Graph& graph, const std::function<const std::vector<std::int64_t>&(ValueId)>& dims_of);

/// Throws an input Error if `has_kernel` rejects any operator of the graph or of a subgraph. The
/// Error lists the rejected operators as `domain.type`, or `type` in the default domain.
/// @param runner subject of the message, such as "the CPU runner"
void require_kernels(const Graph& graph, bool (*has_kernel)(const Node&),
                     const std::string& runner);

}  // namespace stashscope
