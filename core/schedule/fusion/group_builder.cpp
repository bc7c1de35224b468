#include "core/schedule/fusion/group_builder.h"

#include <algorithm>

#include "core/graph/traversal.h"
#include "core/schedule/fusion/pointwise.h"

namespace stashscope {

FusableNodes::FusableNodes(const FusionInput& input)
    : order_(topological_order(input.step.dataflow.topology)),
      kind_(order_.size(), -1),
      apart_(input.edits.apart) {
  find_kinds(input);
  for (const NodeId node : input.edits.alone) kind_[node] = -1;
}

void FusableNodes::find_kinds(const FusionInput& input) {
  const Dataflow& dataflow = input.step.dataflow;
  const auto forward = ancestors(dataflow.topology, input.step.forward_ends);
  std::vector<Shape> shapes;
  for (const NodeId node : order_) {
    if (!is_pointwise(input.step.graph, dataflow, node)) continue;
    const ValueId made = dataflow.origin(dataflow.topology.outputs[node][0]);
    const Shape& shape = *input.step.graph.value(made).type.shape;
    const auto known = std::ranges::find(shapes, shape);
    const auto place = static_cast<int>(known - shapes.begin());
    if (known == shapes.end()) shapes.push_back(shape);
    kind_[node] = 2 * place + (forward[node] ? 1 : 0);
  }
}

GroupBuilder::GroupBuilder(const FusableNodes& nodes, const Topology& topology)
    : nodes_(nodes), root_(topology.nodes()), members_(topology.nodes()) {
  for (const NodeId node : IdRange<NodeId>(topology.nodes())) {
    root_[node] = node;
    members_[node] = {node};
  }
}

bool GroupBuilder::are_apart(NodeId a, NodeId b) const {
  return std::ranges::any_of(nodes_.apart(), [&](const Merge& pair) {
    const auto [x, y] = pair;
    return (are_together(x, a) && are_together(y, b)) || (are_together(x, b) && are_together(y, a));
  });
}

bool GroupBuilder::can_merge(NodeId a, NodeId b) const {
  return !are_together(a, b) && members(a).size() + members(b).size() <= most_fused_nodes &&
         !are_apart(a, b);
}

bool GroupBuilder::merge(NodeId a, NodeId b) {
  if (!can_merge(a, b)) return false;
  const NodeId kept = root_[a];
  std::vector<NodeId> moved = std::move(members_[root_[b]]);
  for (const NodeId node : moved) {
    root_[node] = kept;
    members_[kept].push_back(node);
  }
  return true;
}

FusedGroups GroupBuilder::groups() const {
  IdVector<NodeId, std::vector<NodeId>> in_order(root_.size());
  for (const NodeId node : nodes_.order()) in_order[root_[node]].push_back(node);
  std::vector<std::vector<NodeId>> groups;
  for (std::vector<NodeId>& each : in_order) {
    if (each.size() > 1) groups.push_back(std::move(each));
  }
  return make_groups(root_.size(), groups);
}

bool has_order(const Topology& topology, const FusedGroups& groups) {
  if (groups.empty()) return true;
  // A graph with one node for each group and each node outside groups.
  const std::size_t count = groups.members.size();
  const auto place = [&](NodeId node) {
    const FusedGroupId group = groups.of(node);
    return NodeId(group.valid() ? group.index() : count + node.index());
  };
  std::vector<std::vector<NodeId>> members(count + topology.nodes());
  for (const NodeId node : IdRange<NodeId>(topology.nodes())) {
    members[place(node).index()].push_back(node);
  }
  Topology fused;
  for (const auto& each : members) {
    fused.inputs.start_row();
    fused.outputs.start_row();
    for (const NodeId node : each) {
      for (const ValueId input : topology.inputs[node]) {
        const NodeId producer = input.valid() ? topology.producer[input] : NodeId();
        const bool is_inner = producer.valid() && place(producer) == place(node);
        if (input.valid() && !is_inner) fused.inputs.push(input);
      }
      for (const ValueId output : topology.outputs[node]) fused.outputs.push(output);
    }
  }
  fused.connect(topology.values());
  return topological_order(fused).size() == fused.nodes();
}

}  // namespace stashscope
