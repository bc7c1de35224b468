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

bool first_reader_is_yield(const Graph& graph, const std::vector<std::size_t>& position,
                           ValueId value) {
  const auto readers = graph.topology().readers[value];
  if (readers.empty()) return false;
  const NodeId first = *std::min_element(readers.begin(), readers.end(), [&](NodeId a, NodeId b) {
    return position[a.index()] < position[b.index()];
  });
  return graph.node(first).op_type == "YieldOp";
}

}  // namespace

std::optional<ValueId> reused_buffer(const Graph& graph, const std::vector<std::size_t>& position,
                                     ValueId value) {
  ValueId at = value;
  while (true) {
    const NodeId producer = graph.value(at).producer;
    if (!producer.valid()) return std::nullopt;
    const Node& node = graph.node(producer);
    const bool alias = passes_buffer_on(node) && node.outputs[0] == at && !node.inputs.empty() &&
                       node.inputs[0].valid();
    if (!alias) return at == value ? std::nullopt : std::optional(at);
    if (first_reader_is_yield(graph, position, at)) return std::nullopt;
    at = node.inputs[0];
  }
}

}  // namespace stashscope
