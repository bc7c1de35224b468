#include "core/study/facts/node_facts.h"

#include <algorithm>

namespace stashscope {

std::vector<NodePlanState> plans_of_node(const Study& study, NodeId node) {
  const Opportunities& found = *study.opportunities;
  std::vector<NodePlanState> states;
  for (const auto* plans : {&found.plans, &found.extensions}) {
    for (const NodePlan& plan : *plans) {
      if (plan.node != node) continue;
      const auto choice = study.config.find(plan.cluster);
      const bool chosen = choice != study.config.end() && choice->second.type == plan.type &&
                          choice->second.count != 0;
      const bool is_applied = std::ranges::find(study.applied, &plan) != study.applied.end();
      states.push_back({&plan, chosen, is_applied, is_pinned(study.pinned, node)});
    }
  }
  return states;
}

std::vector<const Obstacle*> obstacles_of_node(const Study& study, NodeId node) {
  std::vector<const Obstacle*> found;
  for (const Obstacle& obstacle : study.opportunities->obstacles) {
    if (obstacle.entry == node) found.push_back(&obstacle);
  }
  return found;
}

StoredValue stored_value(const Study& study, ValueId value) {
  const Dataflow& dataflow = study.current->dataflow;
  StoredValue stored{study.graph().value(dataflow.origin(value)).type,
                     stored_bytes(dataflow, study.sizes->bytes, value)};
  stored.type.element = stored_element(study.graph(), dataflow, value);
  return stored;
}

NodeId maker_of_memory(const Study& study, NodeId node) {
  const Topology& topology = study.current->dataflow.topology;
  const Timeline& timeline = study.current->timeline;
  for (const ValueId output : topology.outputs[node]) {
    const BufferId buffer = output.valid() ? timeline.buffer_of[output] : BufferId();
    if (buffer.valid()) return topology.producer[timeline.buffers[buffer].root];
  }
  return NodeId();
}

}  // namespace stashscope
