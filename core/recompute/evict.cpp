#include "core/recompute/evict.h"

#include <algorithm>

#include "core/ops/families/control_flow.h"
#include "core/ops/rules/views.h"

namespace stashscope {

namespace {

/// Follows the memory of one value through its views.
class BufferTracer {
 public:
  explicit BufferTracer(const StrategyInput& input) : input_(input), graph_(input.graph) {}

  /// The buffer of an output if only the backward pass keeps the buffer alive; else nothing.
  std::optional<StashedBuffer> trace(NodeId maker, std::size_t output) {
    StashedBuffer buffer{graph_.node(maker).outputs[output], output, {}, {}};
    bool is_read = false;
    std::vector<ValueId> members = {buffer.root};
    for (std::size_t next = 0; next < members.size(); ++next) {
      const ValueId member = members[next];
      if (graph_.is_graph_output(member)) return std::nullopt;
      for (const NodeId reader : graph_.topology().readers[member]) {
        if (is_yield(graph_.node(reader))) return std::nullopt;
        if (!input_.stash.is_forward(reader)) {
          is_read = true;
          buffer.readers.push_back(reader);
        } else {
          add_views(reader, member, buffer, members);
        }
      }
    }
    if (!is_read) return std::nullopt;
    const auto& position = input_.stash.position;
    std::sort(buffer.views.begin(), buffer.views.end(),
              [&](NodeId a, NodeId b) { return position[a.index()] < position[b.index()]; });
    buffer.views.erase(std::unique(buffer.views.begin(), buffer.views.end()), buffer.views.end());
    return buffer;
  }

  /// Whether the output of `node` is a view of an input.
  bool is_view(NodeId node, std::size_t output) const {
    const Op* const op = input_.ops[node];
    return op != nullptr && op->alias != nullptr &&
           op->alias(graph_, graph_.node(node), output).has_value();
  }

 private:
  void add_views(NodeId reader, ValueId member, StashedBuffer& buffer,
                 std::vector<ValueId>& members) const {
    const auto views = views_of(graph_, graph_.node(reader), input_.ops[reader], member);
    if (views.empty()) return;
    buffer.views.push_back(reader);
    members.insert(members.end(), views.begin(), views.end());
  }

  const StrategyInput& input_;
  const Graph& graph_;
};

/// Whether a config string can name the op type. A name that ends in `+` would be read as a
/// cluster.
bool can_be_named(const std::string& op_type) {
  return !op_type.empty() && !op_type.ends_with('+') &&
         op_type.find_first_of(",:") == std::string::npos;
}

}  // namespace

std::vector<StashedBuffer> stashed_buffers(const StrategyInput& input) {
  BufferTracer tracer(input);
  std::vector<StashedBuffer> buffers;
  for (std::size_t i = input.stash.forward_nodes; i-- > 0;) {
    const NodeId maker = input.stash.order[i];
    const Node& node = input.graph.node(maker);
    if (is_yield(node) || !can_be_named(node.op_type)) continue;
    for (std::size_t output = 0; output < node.outputs.size(); ++output) {
      if (!node.outputs[output].valid() || tracer.is_view(maker, output)) continue;
      if (auto buffer = tracer.trace(maker, output)) buffers.push_back(*std::move(buffer));
    }
  }
  return buffers;
}

NodePlan eviction_plan(const Graph& graph, const StashedBuffer& buffer, PlanType type) {
  NodePlan plan;
  plan.type = type;
  plan.node = graph.value(buffer.root).producer;
  plan.outputs = {buffer.output};
  plan.subgraph = buffer.views;
  plan.cluster = graph.node(plan.node).op_type;
  return plan;
}

std::int64_t evicted_bytes(const NodePlan& plan, const PlanCostInput& input) {
  return input.bytes[input.graph.node(plan.node).outputs[plan.outputs[0]]];
}

}  // namespace stashscope
