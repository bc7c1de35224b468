#include "core/schedule/fusion/acyclic_groups.h"

namespace stashscope {

std::vector<Merge> dataflow_merges(const FusionInput& input, const FusableNodes& nodes) {
  const Topology& topology = input.step.dataflow.topology;
  AcyclicGroups groups(nodes, topology);
  std::vector<Merge> merges;
  for (const NodeId node : nodes.order()) {
    for (const ValueId operand : topology.inputs[node]) {
      const NodeId maker = operand.valid() ? topology.producer[operand] : NodeId();
      if (!maker.valid() || !nodes.fit(maker, node)) continue;
      if (groups.merge(maker, node)) merges.emplace_back(maker, node);
    }
  }
  return merges;
}

FusedGroups dataflow_groups(const FusionInput& input) {
  const FusableNodes nodes(input);
  GroupBuilder builder(nodes, input.step.dataflow.topology);
  for (const auto& [maker, reader] : dataflow_merges(input, nodes)) builder.merge(maker, reader);
  return builder.groups();
}

}  // namespace stashscope
