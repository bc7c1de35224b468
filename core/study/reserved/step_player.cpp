#include "core/study/reserved/step_player.h"

#include "core/study/step/later_steps.h"
#include "core/study/step/total_bytes.h"

namespace stashscope {

namespace {

/// The most bytes that all tensors may have together. The sums of an allocator, which rounds sizes
/// up, then fit 64 bits.
constexpr std::int64_t most_played_bytes = std::int64_t{1} << 58;

/// By slot, the live bytes that belong to no buffer.
std::vector<std::int64_t> workspace_of(const Timeline& timeline) {
  if (timeline.order.empty()) return {};
  std::vector<std::int64_t> changes(timeline.order.size() + 1, 0);
  for (const Buffer& buffer : timeline.buffers) {
    changes[buffer.first_slot] += buffer.bytes;
    changes[buffer.last_slot + 1] -= buffer.bytes;
  }
  std::vector<std::int64_t> workspace = timeline.live_bytes;
  std::int64_t live = 0;
  for (std::size_t slot = 0; slot < workspace.size(); ++slot) {
    live += changes[slot];
    workspace[slot] -= live;
  }
  return workspace;
}

/// Does nothing, because PyTorch's allocator keeps its segments.
void wait_for_device(CachingAllocator& /*allocator*/) {}
void wait_for_device(StreamOrderedPool& pool) { pool.synchronize(); }

}  // namespace

template <class Allocator>
BasicStepPlayer<Allocator>::BasicStepPlayer(const BufferRules& rules, const Timeline& timeline,
                                            Allocator allocator)
    : rules_(rules),
      timeline_(timeline),
      allocator_(std::move(allocator)),
      blocks_(timeline.buffers.size()),
      begun_(timeline, [](const Buffer& buffer) { return buffer.first_slot; }),
      ended_(timeline, [](const Buffer& buffer) { return buffer.last_slot; }) {
  check_total_bytes(timeline.buffers, most_played_bytes, "the reserved memory of the step");
  workspace_ = workspace_of(timeline);
}

template <class Allocator>
std::vector<std::int64_t> BasicStepPlayer<Allocator>::play(std::span<const std::int64_t> held) {
  for (const BufferId id : IdRange<BufferId>(timeline_.buffers.size())) {
    if (timeline_.buffers[id].persistent) begin(id);
  }
  for (const std::int64_t bytes : held) allocator_.allocate(bytes);
  std::vector<std::int64_t> by_slot;
  for (int step = 0; step < most_played_steps; ++step) {
    const std::int64_t before = allocator_.most_reserved_bytes();
    by_slot.clear();
    run_step(by_slot);
    wait_for_device(allocator_);
    if (step > 0 && allocator_.most_reserved_bytes() == before) break;
  }
  return by_slot;
}

template <class Allocator>
void BasicStepPlayer<Allocator>::run_step(std::vector<std::int64_t>& reserved) {
  if (timeline_.order.empty()) {
    for (const BufferId id : begun_[0]) begin(id);
    for (const BufferId id : ended_[0]) end(id);
  }
  for (std::size_t slot = 0; slot < timeline_.order.size(); ++slot) {
    if (listener_ != nullptr) listener_->begins_slot(slot);
    for (const BufferId id : begun_[slot]) begin(id);
    const bool has_workspace = workspace_[slot] > 0;
    const Block workspace = has_workspace ? allocate({}, workspace_[slot]) : Block();
    if (listener_ != nullptr) listener_->runs_slot(slot);
    if (has_workspace) free({}, workspace);
    reserved.push_back(allocator_.reserved_bytes());
    for (const BufferId id : ended_[slot]) end(id);
  }
}

template <class Allocator>
BlockOf<Allocator> BasicStepPlayer<Allocator>::allocate(std::optional<BufferId> buffer,
                                                        std::int64_t bytes) {
  if (listener_ != nullptr) listener_->allocates(buffer, bytes);
  const Block block = allocator_.allocate(bytes);
  if (listener_ != nullptr && block.valid()) listener_->allocated(buffer, block);
  return block;
}

template <class Allocator>
void BasicStepPlayer<Allocator>::free(std::optional<BufferId> buffer, Block block) {
  if (!block.valid()) return;
  if (listener_ != nullptr) listener_->frees(buffer, block);
  allocator_.free(block);
}

template <class Allocator>
void BasicStepPlayer<Allocator>::begin(BufferId id) {
  const std::int64_t bytes = timeline_.buffers[id].bytes;
  if (bytes > 0 && !blocks_[id].valid()) blocks_[id] = allocate(id, bytes);
}

template <class Allocator>
void BasicStepPlayer<Allocator>::end(BufferId id) {
  if (!blocks_[id].valid() || is_made_state(rules_, timeline_.buffers[id])) return;
  free(id, blocks_[id]);
  blocks_[id] = {};
}

template class BasicStepPlayer<CachingAllocator>;
template class BasicStepPlayer<StreamOrderedPool>;

}  // namespace stashscope
