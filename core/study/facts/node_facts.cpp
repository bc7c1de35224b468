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

namespace {

/// The buffer of the first output that has a buffer.
BufferId memory_of(const Study& study, NodeId node) {
  for (const ValueId output : study.current->dataflow.topology.outputs[node]) {
    const BufferId buffer = study.current->timeline.buffer_of[output];
    if (buffer.valid()) return buffer;
  }
  return BufferId();
}

}  // namespace

std::vector<Read> reads_of(const Study& study, ValueId value) {
  const auto& readers = study.current->dataflow.topology.readers[value];
  const std::vector<NodeId>& order = study.current->timeline.order;
  std::vector<Read> reads;
  for (std::size_t slot = 0; slot < order.size() && reads.size() < readers.size(); ++slot) {
    if (std::ranges::binary_search(readers, order[slot])) reads.push_back({order[slot], slot});
  }
  return reads;
}

std::optional<LastRead> last_read(const Study& study, BufferId buffer) {
  const Topology& topology = study.current->dataflow.topology;
  const Timeline& timeline = study.current->timeline;
  for (std::size_t slot = timeline.order.size(); slot-- > 0;) {
    const NodeId reader = timeline.order[slot];
    for (const ValueId input : topology.inputs[reader]) {
      if (input.valid() && timeline.buffer_of[input] == buffer)
        return LastRead{input, reader, slot};
    }
  }
  return std::nullopt;
}

std::optional<LastRead> last_read_of_memory(const Study& study, NodeId node) {
  const BufferId buffer = memory_of(study, node);
  return buffer.valid() ? last_read(study, buffer) : std::nullopt;
}

NodeId maker_of_memory(const Study& study, NodeId node) {
  const BufferId buffer = memory_of(study, node);
  if (!buffer.valid()) return NodeId();
  return study.current->dataflow.topology.producer[study.current->timeline.buffers[buffer].root];
}

}  // namespace stashscope
