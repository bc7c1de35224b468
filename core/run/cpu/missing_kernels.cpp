#include "core/run/cpu/missing_kernels.h"

#include "core/ops/control_flow.h"
#include "core/ops/op.h"
#include "core/run/cpu/kernel.h"

namespace stashscope::cpu {

namespace {

bool has_kernel(const Node& node) {
  if (node.op_type == "YieldOp" || is_control_flow(node)) return true;
  return KernelRegistry::standard().find(node) != nullptr &&
         OpRegistry::standard().find(node) != nullptr;
}

void collect_missing(const Graph& graph, std::set<std::string>& missing) {
  for (const Node& node : graph.nodes()) {
    if (!has_kernel(node)) {
      missing.insert(node.domain.empty() ? node.op_type : node.domain + "." + node.op_type);
    }
    if (!is_control_flow(node)) continue;
    for (const Subgraph& body : subgraphs_of(node)) collect_missing(*body, missing);
  }
}

}  // namespace

std::set<std::string> operators_without_kernel(const Graph& graph) {
  std::set<std::string> missing;
  collect_missing(graph, missing);
  return missing;
}

}  // namespace stashscope::cpu
