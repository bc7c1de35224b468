#pragma once

#include <string>
#include <vector>

#include "core/passes/graph_pass.h"
#include "core/passes/infer_shapes.h"
#include "core/run/cpu/execute/evaluate.h"

namespace stashscope::test {

/// A model after one pass.
struct Passed {
  Graph graph;
  std::size_t changed = 0;
};

inline Passed pass(const std::string& name, const Graph& model) {
  const PassSelection selection{{name}, ElementType::undefined, cpu_evaluator()};
  const PassedModel passed = apply_passes(infer_shapes(model), {}, selection);
  return {infer_shapes(passed.graph), passed.passes.at(0).changed};
}

inline std::size_t count(const Graph& graph, const std::string& op_type) {
  std::size_t found = 0;
  for (const Node& node : graph.nodes()) found += node.op_type == op_type ? 1 : 0;
  return found;
}

}  // namespace stashscope::test
