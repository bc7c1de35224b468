#include "core/schedule/fusion/fusions.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/schedule/fusion/group_builder.h"

namespace stashscope {

namespace {

FusedGroups no_groups(const FusionInput&) { return {}; }

constexpr std::array<FusionStrategy, 4> strategies = {{
    {"none", "no fusion", no_groups},
    {"dataflow", "each pointwise node with the pointwise nodes that make its operands",
     dataflow_groups},
    {"horizontal", "pointwise nodes at equal depth, also on different paths", horizontal_groups},
    {"memory-aware", "dataflow, then horizontal, without fusions that raise the peak",
     memory_aware_groups},
}};

}  // namespace

std::span<const FusionStrategy> fusion_strategies() { return strategies; }

const FusionStrategy& find_fusion(std::string_view name) {
  for (const FusionStrategy& strategy : strategies) {
    if (strategy.name == name) return strategy;
  }
  std::vector<std::string> names;
  for (const FusionStrategy& strategy : strategies) names.emplace_back(strategy.name);
  fail_usage("fusion '" + printable(std::string(name)) + "'", "is not known",
             "choose one of " + join(names, ", "));
}

OrderInput fused_input(const OrderInput& step, const FusedStep& fused, const FusedGroups& groups) {
  std::vector<NodeId> ends = step.forward_ends;
  for (NodeId& end : ends) {
    const FusedGroupId group = groups.of(end);
    if (group.valid()) end = leader_of(step.dataflow, groups, group);
  }
  StepMemory memory = step.memory;
  return {step.graph,
          fused.dataflow,
          std::move(ends),
          {memory.rules, memory.bytes, memory.update, memory.workspace, &fused, memory.copies},
          step.progress};
}

std::vector<NodeId> nodes_in(const OrderInput& step, const OrderStrategy& order,
                             const FusedGroups& groups) {
  if (groups.empty()) return order.order(step);
  const FusedStep fused = fuse(step.graph, step.dataflow, step.memory.rules, groups);
  return with_members(step.dataflow, groups, order.order(fused_input(step, fused, groups)));
}

namespace {

/// The timeline of a step with groups.
/// @param nodes a function that takes the fused step and returns its execution order
template <class Nodes>
Timeline timeline_of(const OrderInput& step, const FusedGroups& groups, Nodes nodes) {
  if (groups.empty()) return make_timeline(step.dataflow, step.memory, nodes(step));
  const FusedStep fused = fuse(step.graph, step.dataflow, step.memory.rules, groups);
  const OrderInput input = fused_input(step, fused, groups);
  Timeline timeline = make_timeline(fused.dataflow, input.memory, nodes(input));
  return with_members(step.dataflow, groups, std::move(timeline));
}

}  // namespace

Timeline timeline_in(const OrderInput& step, std::vector<NodeId> nodes, const FusedGroups& groups) {
  return timeline_of(step, groups, [&](const OrderInput&) { return std::move(nodes); });
}

Timeline timeline_in(const OrderInput& step, const OrderStrategy& order,
                     const FusedGroups& groups) {
  return timeline_of(step, groups, order.order);
}

}  // namespace stashscope
