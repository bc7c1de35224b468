#include "core/run/cpu/execute/step_buffers.h"

#include <cstdlib>

namespace stashscope::cpu {

StepBuffers::StepBuffers(const RunPlan& plan, const TraceSink& sink)
    : plan_(plan),
      sink_(sink),
      blocks_(plan.timeline.buffers.size()),
      values_in_(plan.timeline.buffers.size(), 0),
      started_(Clock::now()) {}

StepBuffers::~StepBuffers() {
  for (const TrackingAllocator::Block& block : blocks_) std::free(block.data);
}

void StepBuffers::allocate(BufferId id, std::int64_t bytes, std::uint32_t step) {
  blocks_[id] = allocator_.allocate(bytes);
  emit(TraceEvent::Kind::allocate, step, bytes,
       name_of(*plan_.graph, plan_.dataflow, plan_.timeline.buffers[id]));
}

bool StepBuffers::leave(BufferId id, std::uint32_t step) {
  if (plan_.timeline.buffers[id].persistent || --values_in_[id] > 0) return false;
  release(id, step);
  return true;
}

void StepBuffers::release_all(std::uint32_t step) {
  for (const BufferId id : IdRange<BufferId>(blocks_.size())) {
    if (plan_.timeline.buffers[id].persistent) continue;
    values_in_[id] = 0;
    if (blocks_[id].data != nullptr) release(id, step);
  }
}

void StepBuffers::release(BufferId id, std::uint32_t step) {
  const TrackingAllocator::Block block = blocks_[id];
  blocks_[id] = {};
  allocator_.release(block);
  emit(TraceEvent::Kind::release, step, block.bytes,
       name_of(*plan_.graph, plan_.dataflow, plan_.timeline.buffers[id]));
}

void StepBuffers::emit(TraceEvent::Kind kind, std::uint32_t step, std::int64_t bytes,
                       const std::string& name) {
  const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  const TraceEvent event{kind, step, bytes, allocator_.live_bytes(), seconds, name};
  measurement_.add(event);
  if (sink_) sink_(event);
}

}  // namespace stashscope::cpu
