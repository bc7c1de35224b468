#include <algorithm>
#include <map>
#include <tuple>

#include "core/schedule/fusion/group_builder.h"

namespace stashscope {

namespace {

/// The length of the longest path from the step's inputs to each node.
IdVector<NodeId, std::size_t> levels(const Topology& topology, const std::vector<NodeId>& order) {
  IdVector<NodeId, std::size_t> level(topology.nodes(), 0);
  for (const NodeId node : order) {
    for (const ValueId input : topology.inputs[node]) {
      const NodeId maker = input.valid() ? topology.producer[input] : NodeId();
      if (maker.valid()) level[node] = std::max(level[node], level[maker] + 1);
    }
  }
  return level;
}

}  // namespace

std::vector<Merge> horizontal_merges(const FusionInput& input, const FusableNodes& nodes) {
  const Dataflow& dataflow = input.step.dataflow;
  const auto level = levels(dataflow.topology, nodes.order());
  // Clones are not merged with other nodes, because a mixed group would run the clones too early.
  std::map<std::tuple<std::size_t, int, bool>, NodeId> last;
  std::vector<Merge> merges;
  for (const NodeId node : nodes.order()) {
    if (!nodes.contains(node)) continue;
    const auto [neighbour, is_first] =
        last.try_emplace({level[node], nodes.kind(node), dataflow.is_clone(node)}, node);
    if (!is_first) merges.emplace_back(std::exchange(neighbour->second, node), node);
  }
  return merges;
}

FusedGroups horizontal_groups(const FusionInput& input) {
  const FusableNodes nodes(input);
  GroupBuilder builder(nodes, input.step.dataflow.topology);
  // No path connects nodes of equal depth, so no merge creates a cycle.
  for (const auto& [a, b] : horizontal_merges(input, nodes)) builder.merge(a, b);
  return builder.groups();
}

}  // namespace stashscope
