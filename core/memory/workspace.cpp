#include "core/memory/workspace.h"

#include <algorithm>

#include "core/graph/captured_step.h"
#include "core/graph/traversal.h"
#include "core/ops/families/standard_ops.h"

namespace stashscope {

namespace {

/// Whether an output of a body becomes an output of the node. False for the condition of a Loop,
/// which is the first output of its body, and for scan outputs, because these are copied in each
/// iteration.
bool is_handed_out(const Node& node, std::size_t output) {
  if (node.op_type == "If") return true;
  const bool loop = node.op_type == "Loop";
  const std::int64_t walked = loop ? 2 : node.attributes.integer("num_scan_inputs", 0);
  const std::int64_t carried = std::ssize(node.inputs) - walked;
  const std::int64_t first = loop ? 1 : 0;
  const auto at = static_cast<std::int64_t>(output);
  return at >= first && at < first + carried;
}

std::int64_t inner_peak(const Node& node, const Graph& body, const Bindings& bindings) {
  const BufferRules rules = buffer_rules(body, resolve_ops(body), {}, {});
  std::vector<ValueId> unknown;
  IdVector<ValueId, std::int64_t> bytes = value_bytes(body, bindings, unknown);
  for (const ValueId capture : body.data().captures) bytes[capture] = 0;
  for (std::size_t i = 0; i < body.data().outputs.size(); ++i) {
    if (is_handed_out(node, i)) bytes[body.data().outputs[i]] = 0;
  }
  const Dataflow dataflow(body);
  Timeline timeline = make_timeline(dataflow, rules, bytes, topological_order(dataflow.topology));
  add_workspace(timeline, dataflow, workspace_bytes(body, bindings));
  return timeline.peak_bytes;
}

}  // namespace

IdVector<NodeId, std::int64_t> workspace_bytes(const Graph& graph, const Bindings& bindings) {
  IdVector<NodeId, std::int64_t> workspace(graph.nodes().size(), 0);
  for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
    const Node& node = graph.node(id);
    if (graph.data().captured) {
      workspace[id] = graph.data().captured->workspace[id].evaluate(bindings).value_or(0);
    }
    for (const auto& [name, attribute] : node.attributes.items()) {
      const auto* const body = std::get_if<Subgraph>(&attribute);
      if (body == nullptr) continue;
      workspace[id] = std::max(workspace[id], inner_peak(node, **body, bindings));
    }
  }
  return workspace;
}

void add_workspace(Timeline& timeline, const Dataflow& dataflow,
                   const IdVector<NodeId, std::int64_t>& workspace) {
  for (std::size_t slot = 0; slot < timeline.order.size(); ++slot) {
    if (!dataflow.runs_origin(timeline.order[slot])) continue;
    std::int64_t& live = timeline.live_bytes[slot];
    live += workspace[dataflow.origin(timeline.order[slot])];
    if (live <= timeline.peak_bytes) continue;
    timeline.peak_bytes = live;
    timeline.peak_slot = slot;
  }
}

}  // namespace stashscope
