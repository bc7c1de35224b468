#include "core/schedule/fusion/pointwise.h"

#include <algorithm>
#include <set>
#include <string>

#include "core/memory/buffers.h"
#include "core/ops/rules/elementwise.h"

namespace stashscope {

namespace {

/// Whether the operator is elementwise although `is_elementwise`, which graph passes use, does not
/// list it.
bool is_more_elementwise(const Node& node) {
  static const std::set<std::string> types = {":Abs",
                                              ":Reciprocal",
                                              ":Sin",
                                              ":Cos",
                                              ":Not",
                                              ":And",
                                              ":Or",
                                              ":Equal",
                                              ":Less",
                                              ":LessOrEqual",
                                              ":Greater",
                                              ":GreaterOrEqual",
                                              ":Clip",
                                              ":Sum",
                                              "com.microsoft:ReluGrad",
                                              "com.microsoft:SigmoidGrad",
                                              "com.microsoft:TanhGrad",
                                              "com.microsoft:GeluGrad",
                                              "com.microsoft:FastGeluGrad",
                                              "com.microsoft:QuickGeluGrad"};
  return types.contains(node.domain + ":" + node.op_type);
}

/// Whether the node reads a bias, whose elements are indexed by the last axis, not by the position
/// in the block.
bool has_bias(const Node& node) {
  return node.op_type.starts_with("Bias") || (node.op_type == "FastGelu" && node.inputs.size() > 1);
}

bool has_single_element(const Shape& shape) {
  return std::ranges::all_of(shape, [](const Expr& dim) { return dim == Expr(1); });
}

bool is_stored_in_bytes(const TensorType& type) {
  return type.shape && type.opaque.empty() && type.element != ElementType::string &&
         bits_per_element(type.element) >= 8;
}

}  // namespace

bool is_pointwise(const Graph& graph, const Dataflow& dataflow, NodeId id) {
  if (!dataflow.runs_origin(id)) return false;
  const Node& node = graph.node(dataflow.origin(id));
  if (!is_elementwise(node) && !is_more_elementwise(node)) return false;
  if (has_bias(node) || node.outputs.size() != 1 || !node.captured_inputs.empty()) return false;
  if (!node.outputs[0].valid()) return false;
  const TensorType& made = graph.value(node.outputs[0]).type;
  if (!is_stored_in_bytes(made) || lives_on_host(graph, node.outputs[0])) return false;
  bool has_full_operand = false;
  for (const ValueId input : node.inputs) {
    if (!input.valid()) continue;
    const TensorType& read = graph.value(input).type;
    if (!is_stored_in_bytes(read)) return false;
    const bool is_full = read.shape == made.shape;
    if (!is_full && !has_single_element(*read.shape)) return false;
    has_full_operand = has_full_operand || is_full;
  }
  return has_full_operand;
}

}  // namespace stashscope
