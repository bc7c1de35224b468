#pragma once

#include <functional>
#include <vector>

#include "core/graph/graph.h"
#include "core/run/step/runner.h"

namespace stashscope::cpu {

/// Runs a subgraph and returns its outputs by name. `inputs` holds, by name, the subgraph's inputs
/// and the values that it captures.
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

/// Runs an If, Loop or Scan node (ONNX) and returns its outputs in order. Throws a run Error for
/// wrong operands and for unsupported cases: Scan before version 9, scan inputs or outputs whose
/// elements do not fill whole bytes, and a Loop or Scan without iterations if the dims of its scan
/// outputs are not declared.
std::vector<Tensor> run_control_flow(const ControlFlow& flow);

}  // namespace stashscope::cpu
