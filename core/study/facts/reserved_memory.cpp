#include "core/study/facts/reserved_memory.h"

#include <span>

#include "core/allocator/caching_allocator.h"
#include "core/study/step/later_steps.h"

namespace stashscope {

namespace {

constexpr int most_steps = 8;

/// The buffers of a timeline by the slot in which they begin or end.
class SlotBuffers {
 public:
  template <class SlotOf>
  SlotBuffers(const Timeline& timeline, SlotOf slot_of) {
    std::vector<std::uint32_t> counts(timeline.order.size(), 0);
    for (const Buffer& buffer : timeline.buffers) {
      if (is_played(buffer)) ++counts[slot_of(buffer)];
    }
    starts_.push_back(0);
    for (const std::uint32_t count : counts) starts_.push_back(starts_.back() + count);
    buffers_.resize(starts_.back());
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for (const BufferId id : IdRange<BufferId>(timeline.buffers.size())) {
      const Buffer& buffer = timeline.buffers[id];
      if (is_played(buffer)) buffers_[next[slot_of(buffer)]++] = id;
    }
  }

  std::span<const BufferId> operator[](std::size_t slot) const {
    return std::span(buffers_).subspan(starts_[slot], starts_[slot + 1] - starts_[slot]);
  }

 private:
  static bool is_played(const Buffer& buffer) { return !buffer.persistent && buffer.bytes > 0; }

  std::vector<std::size_t> starts_;
  std::vector<BufferId> buffers_;
};

/// By slot, the live bytes that belong to no buffer.
std::vector<std::int64_t> workspace_of(const Timeline& timeline) {
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

class StepPlayer {
 public:
  StepPlayer(const BufferRules& rules, const Timeline& timeline, const AllocatorSettings& settings)
      : rules_(rules),
        timeline_(timeline),
        allocator_(settings),
        blocks_(timeline.buffers.size()),
        begun_(timeline, [](const Buffer& buffer) { return buffer.first_slot; }),
        ended_(timeline, [](const Buffer& buffer) { return buffer.last_slot; }),
        workspace_(workspace_of(timeline)) {}

  ReservedMemory play() {
    for (const BufferId id : IdRange<BufferId>(timeline_.buffers.size())) {
      if (timeline_.buffers[id].persistent) begin(id);
    }
    ReservedMemory memory;
    for (int step = 0; step < most_steps; ++step) {
      const std::int64_t before = allocator_.most_reserved_bytes();
      memory.by_slot.clear();
      run_step(memory.by_slot);
      if (step > 0 && allocator_.most_reserved_bytes() == before) break;
    }
    memory.reserved_bytes = allocator_.most_reserved_bytes();
    memory.fragmentation_bytes = memory.reserved_bytes - timeline_.peak_bytes;
    return memory;
  }

 private:
  void run_step(std::vector<std::int64_t>& reserved) {
    for (std::size_t slot = 0; slot < timeline_.order.size(); ++slot) {
      for (const BufferId id : begun_[slot]) begin(id);
      if (workspace_[slot] > 0) allocator_.free(allocator_.allocate(workspace_[slot]));
      reserved.push_back(allocator_.reserved_bytes());
      for (const BufferId id : ended_[slot]) end(id);
    }
  }

  void begin(BufferId id) {
    const std::int64_t bytes = timeline_.buffers[id].bytes;
    if (bytes > 0 && !blocks_[id].valid()) blocks_[id] = allocator_.allocate(bytes);
  }

  void end(BufferId id) {
    if (!blocks_[id].valid() || is_made_state(rules_, timeline_.buffers[id])) return;
    allocator_.free(blocks_[id]);
    blocks_[id] = {};
  }

  const BufferRules& rules_;
  const Timeline& timeline_;
  CachingAllocator allocator_;
  IdVector<BufferId, MemoryBlockId> blocks_;
  SlotBuffers begun_;
  SlotBuffers ended_;
  std::vector<std::int64_t> workspace_;  ///< by slot
};

}  // namespace

ReservedMemory reserved_memory(const Study& study, const Variant& variant,
                               const AllocatorSettings& settings) {
  return StepPlayer(study.prepared->rules, variant.timeline, settings).play();
}

}  // namespace stashscope
