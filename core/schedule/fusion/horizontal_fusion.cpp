#include <map>
#include <tuple>

#include "core/graph/traversal.h"
#include "core/schedule/fusion/group_builder.h"

namespace stashscope {

std::vector<Merge> horizontal_merges(const FusionInput& input, const FusableNodes& nodes) {
  const Dataflow& dataflow = input.step.dataflow;
  const auto depth = depths_of(dataflow.topology, nodes.order());
  // Clones are not merged with other nodes, because a mixed group would run the clones too early.
  std::map<std::tuple<std::uint32_t, int, bool>, NodeId> last;
  std::vector<Merge> merges;
  for (const NodeId node : nodes.order()) {
    if (!nodes.contains(node)) continue;
    const auto [neighbour, is_first] =
        last.try_emplace({depth[node], nodes.kind(node), dataflow.is_clone(node)}, node);
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
