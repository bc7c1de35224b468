#include "core/recompute/layer_boundary.h"

#include <algorithm>
#include <array>

namespace stashscope {

namespace {

bool is_layer_norm(const Node& node) {
  constexpr std::array<std::string_view, 4> types = {"LayerNormalization", "SkipLayerNormalization",
                                                     "SimplifiedLayerNormalization",
                                                     "SkipSimplifiedLayerNormalization"};
  return std::find(types.begin(), types.end(), node.op_type) != types.end();
}

bool is_attention(const Node& node) {
  if (node.op_type == "Softmax" || node.op_type == "BiasSoftmax") return true;
  if (node.op_type != "PythonOp") return false;
  const auto* const name = node.attributes.find("func_name");
  const auto* const text = name != nullptr ? std::get_if<std::string>(name) : nullptr;
  return text != nullptr && (text->find("flash_attn") != std::string::npos ||
                             text->find("FlashAttn") != std::string::npos);
}

class BoundaryFinder {
 public:
  BoundaryFinder(const Graph& graph, const std::vector<std::size_t>& position,
                 std::size_t forward_nodes)
      : graph_(graph), position_(position), forward_nodes_(forward_nodes) {}

  bool starts_layer(NodeId norm) const {
    const auto& inputs = graph_.node(norm).inputs;
    if (inputs.empty() || !inputs[0].valid() || !is_forward(norm)) return false;
    const ValueId input = inputs[0];
    for (const NodeId reader : graph_.topology().readers[input]) {
      const bool residual = graph_.node(reader).op_type == "Add" && is_forward(reader);
      if (residual && reaches_attention(norm, position_[reader.index()])) return true;
    }
    return false;
  }

 private:
  bool is_forward(NodeId node) const { return position_[node.index()] < forward_nodes_; }

  bool reaches_attention(NodeId from, std::size_t before) const {
    std::set<NodeId> seen;
    std::vector<NodeId> stack = {from};
    while (!stack.empty()) {
      const NodeId node = stack.back();
      stack.pop_back();
      for (const ValueId output : graph_.topology().outputs[node]) {
        for (const NodeId reader : graph_.topology().readers[output]) {
          if (position_[reader.index()] >= before || !seen.insert(reader).second) continue;
          if (is_attention(graph_.node(reader))) return true;
          stack.push_back(reader);
        }
      }
    }
    return false;
  }

  const Graph& graph_;
  const std::vector<std::size_t>& position_;
  std::size_t forward_nodes_;
};

}  // namespace

std::set<ValueId> layer_boundary_inputs(const Graph& graph,
                                        const std::vector<std::size_t>& position,
                                        std::size_t forward_nodes) {
  const BoundaryFinder finder(graph, position, forward_nodes);
  std::set<ValueId> inputs;
  for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
    if (is_layer_norm(graph.node(id)) && finder.starts_layer(id)) {
      inputs.insert(graph.node(id).inputs[0]);
    }
  }
  return inputs;
}

}  // namespace stashscope
