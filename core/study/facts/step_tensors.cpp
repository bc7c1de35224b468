#include "core/study/facts/step_tensors.h"

#include <algorithm>
#include <functional>

#include "core/study/facts/plan_facts.h"

namespace stashscope {

IdVector<BufferId, Band> band_of_buffers(const Study& study, const Variant& variant) {
  return band_of_buffers(variant.dataflow, study.prepared->rules, variant.timeline,
                         variant.forward_slots, study.prepared->step.boundary.yield);
}

StepTensors step_tensors(const Study& study) {
  const Variant& variant = *study.current;
  const auto& buffers = variant.timeline.buffers;
  StepTensors tensors;
  tensors.band = band_of_buffers(study, variant);
  for (const BufferId id : IdRange<BufferId>(buffers.size())) {
    if (buffers[id].bytes > 0) tensors.largest_first.push_back(id);
  }
  std::ranges::stable_sort(tensors.largest_first, std::greater(),
                           [&](BufferId id) { return buffers[id].bytes; });
  return tensors;
}

IdVector<BufferId, NodeId> last_readers(const Study& study) {
  const Timeline& timeline = study.current->timeline;
  IdVector<BufferId, NodeId> readers(timeline.buffers.size());
  for (const NodeId node : timeline.order) {
    for (const ValueId input : study.current->dataflow.topology.inputs[node]) {
      const BufferId buffer = input.valid() ? timeline.buffer_of[input] : BufferId();
      if (buffer.valid()) readers[buffer] = node;
    }
  }
  return readers;
}

std::vector<BufferId> buffers_made_by(const Study& study, NodeId node) {
  const Timeline& timeline = study.current->timeline;
  const auto& buffers = timeline.buffers;
  std::vector<BufferId> made;
  for (const ValueId output : study.current->dataflow.topology.outputs[node]) {
    const BufferId id = timeline.buffer_of[output];
    if (!id.valid() || buffers[id].persistent) continue;
    if (std::ranges::find(made, id) == made.end()) made.push_back(id);
  }
  std::ranges::stable_sort(made, std::greater(), [&](BufferId id) { return buffers[id].bytes; });
  return made;
}

std::string module_of_tensor(const Study& study, ValueId value) {
  const Dataflow& dataflow = study.current->dataflow;
  NodeId node = dataflow.topology.producer[value];
  if (!node.valid()) {
    const auto readers = dataflow.topology.readers[value];
    if (readers.empty()) return {};
    node = readers.front();
  }
  return layer_of(study.graph(), dataflow.origin(node));
}

}  // namespace stashscope
