#include "core/recompute/buffer_reuse.h"

#include <algorithm>
#include <array>

namespace stashscope {

namespace {

bool is_view(const Node& node) {
  constexpr std::array<std::string_view, 5> types = {"Reshape", "Squeeze", "Unsqueeze", "Flatten",
                                                     "Identity"};
  return node.domain.empty() && std::find(types.begin(), types.end(), node.op_type) != types.end();
}

/// Whether ONNX Runtime's CPU kernel writes into its first input. This requires that a node makes
/// the input, that nothing else reads it, and that it has the element type of the output.
bool writes_into_input(const Graph& graph, const Op* op, const Node& node) {
  if (op == nullptr || !op->reference_in_place) return false;
  const ValueId input = node.inputs[0];
  const bool is_last = graph.topology().readers[input].size() == 1 && !graph.is_graph_output(input);
  return is_last && graph.value(input).producer.valid() &&
         graph.value(input).type.element == graph.value(node.outputs[0]).type.element;
}

bool first_reader_is_yield(const Graph& graph, const Boundary& boundary, const Stash& stash,
                           ValueId value) {
  const auto readers = graph.topology().readers[value];
  const auto first = std::min_element(readers.begin(), readers.end(), [&](NodeId a, NodeId b) {
    return stash.position[a.index()] < stash.position[b.index()];
  });
  if (boundary.yield.valid()) return first != readers.end() && *first == boundary.yield;
  const bool handed_over =
      std::find(boundary.outputs.begin(), boundary.outputs.end(), value) != boundary.outputs.end();
  return handed_over && (first == readers.end() || !stash.is_forward(*first));
}

}  // namespace

std::optional<ValueId> reused_buffer(const StrategyInput& input, ValueId value) {
  const Graph& graph = input.graph;
  const ReferenceRules& rules = rules_of(input.search.reference);
  ValueId at = value;
  while (true) {
    const NodeId producer = graph.value(at).producer;
    if (!producer.valid()) return std::nullopt;
    const Node& node = graph.node(producer);
    const bool has_input = node.outputs[0] == at && !node.inputs.empty() && node.inputs[0].valid();
    const bool alias =
        has_input && (is_view(node) || (rules.reuses_in_place &&
                                        writes_into_input(graph, input.ops[producer], node)));
    if (!alias) return at == value ? std::nullopt : std::optional(at);
    if (first_reader_is_yield(graph, input.boundary, input.stash, at)) return std::nullopt;
    at = node.inputs[0];
  }
}

}  // namespace stashscope
