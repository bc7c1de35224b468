#include "core/schedule/fusion/group_builder.h"

#include <algorithm>
#include <utility>

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
    : nodes_(nodes), root_(topology.nodes()), size_(topology.nodes(), 1), next_(topology.nodes()) {
  for (const NodeId node : IdRange<NodeId>(topology.nodes())) root_[node] = next_[node] = node;
}

bool GroupBuilder::are_apart(NodeId a, NodeId b) const {
  return std::ranges::any_of(nodes_.apart(), [&](const Merge& pair) {
    const auto [x, y] = pair;
    return (are_together(x, a) && are_together(y, b)) || (are_together(x, b) && are_together(y, a));
  });
}

bool GroupBuilder::can_merge(NodeId a, NodeId b) const {
  return !are_together(a, b) && size_[root(a)] + size_[root(b)] <= most_fused_nodes &&
         !are_apart(a, b);
}

bool GroupBuilder::merge(NodeId a, NodeId b) {
  if (!can_merge(a, b)) return false;
  const NodeId kept = root(a);
  size_[kept] += size_[root(b)];
  for_each_member(b, [&](NodeId node) { root_[node] = kept; });
  std::swap(next_[a], next_[b]);
  return true;
}

FusedGroups GroupBuilder::groups() const {
  std::vector<NodeId> grouped;
  for (const NodeId node : nodes_.order()) {
    if (size_[root(node)] > 1) grouped.push_back(node);
  }
  std::ranges::stable_sort(grouped, {}, [&](NodeId node) { return root(node).index(); });
  IdRows<FusedGroupId, NodeId> members;
  for (std::size_t i = 0; i < grouped.size(); ++i) {
    if (i == 0 || !are_together(grouped[i - 1], grouped[i])) members.start_row();
    members.push(grouped[i]);
  }
  return make_groups(root_.size(), std::move(members));
}

namespace {

/// A graph of the groups and of the nodes outside groups. The first node represents its group.
class GroupedGraph {
 public:
  GroupedGraph(const Topology& topology, const FusedGroups& groups)
      : topology_(topology), groups_(groups), pending_(topology.nodes(), 0) {
    for (const NodeId node : IdRange<NodeId>(topology.nodes())) {
      for_each_reader(node, [&](NodeId reader) { ++pending_[reader]; });
    }
  }

  /// Whether a valid order exists. Takes groups whose producers are all taken, until there is no
  /// such group (Kahn 1962).
  bool has_order() {
    std::vector<NodeId> ready;
    for (const NodeId node : IdRange<NodeId>(topology_.nodes())) {
      if (first(node) == node && pending_[node] == 0) ready.push_back(node);
    }
    while (!ready.empty()) {
      const NodeId taken = ready.back();
      ready.pop_back();
      for_each_member(taken, [&](NodeId member) {
        for_each_reader(member, [&](NodeId reader) {
          if (--pending_[reader] == 0) ready.push_back(reader);
        });
      });
    }
    return std::ranges::all_of(pending_, [](std::uint32_t count) { return count == 0; });
  }

 private:
  NodeId first(NodeId node) const {
    const FusedGroupId group = groups_.of(node);
    return group.valid() ? groups_.members[group].front() : node;
  }

  template <class Visit>
  void for_each_member(NodeId first, Visit visit) const {
    const FusedGroupId group = groups_.of(first);
    if (!group.valid()) return visit(first);
    for (const NodeId member : groups_.members[group]) visit(member);
  }

  /// Calls `visit` with the group of each reader outside the node's own group.
  template <class Visit>
  void for_each_reader(NodeId node, Visit visit) const {
    for (const ValueId output : topology_.outputs[node]) {
      for (const NodeId reader : topology_.readers[output]) {
        if (first(reader) != first(node)) visit(first(reader));
      }
    }
  }

  const Topology& topology_;
  const FusedGroups& groups_;
  IdVector<NodeId, std::uint32_t> pending_;  ///< number of reads from groups not taken yet
};

}  // namespace

bool has_order(const Topology& topology, const FusedGroups& groups) {
  return groups.empty() || GroupedGraph(topology, groups).has_order();
}

}  // namespace stashscope
