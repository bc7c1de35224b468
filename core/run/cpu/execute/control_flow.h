#pragma once

#include <functional>
#include <vector>

#include "core/graph/graph.h"
#include "core/run/step/runner.h"

namespace stashscope::cpu {

/// Runs a subgraph. Its inputs and the values it captures are given by name.
using RunSubgraph = std::function<NamedTensors(const Graph& body, const NamedTensors& inputs)>;

/// The operands of a control-flow node.
struct ControlFlow {
  const Node& node;
  std::int64_t version;  ///< since-version of the operator
  /// In the order of the node's inputs; operands left out have no element type.
  std::vector<Tensor> inputs;
  NamedTensors captured;  ///< outer values that the subgraphs read, by name
  RunSubgraph run;
};

/// The node's outputs, in order. (ONNX, If, Loop, Scan) Throws a run Error for unsupported cases:
/// scan outputs of a loop without iterations whose dims are not declared, and Scan before version
/// 9.
std::vector<Tensor> run_control_flow(const ControlFlow& flow);

}  // namespace stashscope::cpu
