#include "core/recompute/buffer_reuse.h"

#include <algorithm>
#include <array>

namespace stashscope {

namespace {

bool passes_buffer_on(const Node& node) {
  constexpr std::array<std::string_view, 5> types = {"Reshape", "Squeeze", "Unsqueeze", "Flatten",
                                                     "Identity"};
  return node.domain.empty() && std::find(types.begin(), types.end(), node.op_type) != types.end();
}

bool first_reader_is_yield(const Graph& graph, const Boundary& boundary, const Opportunities& found,
                           ValueId value) {
  const auto readers = graph.topology().readers[value];
  const auto first = std::min_element(readers.begin(), readers.end(), [&](NodeId a, NodeId b) {
    return found.position[a.index()] < found.position[b.index()];
  });
  if (boundary.yield.valid()) return first != readers.end() && *first == boundary.yield;
  const bool handed_over =
      std::find(boundary.outputs.begin(), boundary.outputs.end(), value) != boundary.outputs.end();
  return handed_over && (first == readers.end() || !found.is_forward(*first));
}

}  // namespace

std::optional<ValueId> reused_buffer(const Graph& graph, const Boundary& boundary,
                                     const Opportunities& found, ValueId value) {
  ValueId at = value;
  while (true) {
    const NodeId producer = graph.value(at).producer;
    if (!producer.valid()) return std::nullopt;
    const Node& node = graph.node(producer);
    const bool alias = passes_buffer_on(node) && node.outputs[0] == at && !node.inputs.empty() &&
                       node.inputs[0].valid();
    if (!alias) return at == value ? std::nullopt : std::optional(at);
    if (first_reader_is_yield(graph, boundary, found, at)) return std::nullopt;
    at = node.inputs[0];
  }
}

}  // namespace stashscope
