#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "core/allocator/caching_allocator.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The buffers of a timeline by the slot in which they begin or end.
class SlotBuffers {
 public:
  template <class SlotOf>
  SlotBuffers(const Timeline& timeline, SlotOf slot_of) {
    // Where no node runs, the buffers that are both input and output begin and end in slot 0.
    std::vector<std::uint32_t> counts(std::max<std::size_t>(1, timeline.order.size()), 0);
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

/// Is told what a StepPlayer allocates and frees. A buffer that is not set is the workspace of the
/// node in the slot.
class StepListener {
 public:
  StepListener() = default;
  StepListener(const StepListener&) = delete;
  StepListener& operator=(const StepListener&) = delete;
  virtual ~StepListener() = default;

  /// Before all else. @param allocator lives until `ends`
  virtual void starts(const CachingAllocator& allocator) = 0;
  /// Before the node in the slot allocates anything.
  virtual void begins_slot(std::size_t /*slot*/) {}
  /// Before the allocation.
  virtual void allocates(std::optional<BufferId> /*buffer*/, std::int64_t /*bytes*/) {}
  /// After the allocation.
  virtual void allocated(std::optional<BufferId> /*buffer*/, MemoryBlockId /*block*/) {}
  /// Before the block is freed.
  virtual void frees(std::optional<BufferId> /*buffer*/, MemoryBlockId /*block*/) {}
  /// When all that the node in the slot needs is allocated.
  virtual void runs_slot(std::size_t /*slot*/) {}
  /// After the last step, before the allocator is gone.
  virtual void ends() {}
};

/// Plays the buffers of a timeline through PyTorch's caching allocator. Refers to its arguments.
class StepPlayer {
 public:
  StepPlayer(const BufferRules& rules, const Timeline& timeline, const AllocatorSettings& settings);

  /// Allocates what exists before the step.
  void begin_steps();
  /// Allocates a block that stays and belongs to no buffer.
  void hold(std::int64_t bytes) { allocator_.allocate(bytes); }
  /// @param listener must outlive the player
  void listen(StepListener& listener) {
    listener_ = &listener;
    listener.starts(allocator_);
  }
  /// Plays the step once. Appends the reserved bytes of each slot.
  void run_step(std::vector<std::int64_t>& reserved);

  const CachingAllocator& allocator() const { return allocator_; }

 private:
  MemoryBlockId allocate(std::optional<BufferId> buffer, std::int64_t bytes);
  void free(std::optional<BufferId> buffer, MemoryBlockId block);
  void begin(BufferId id);
  void end(BufferId id);

  const BufferRules& rules_;
  const Timeline& timeline_;
  CachingAllocator allocator_;
  StepListener* listener_ = nullptr;
  IdVector<BufferId, MemoryBlockId> blocks_;
  SlotBuffers begun_;
  SlotBuffers ended_;
  std::vector<std::int64_t> workspace_;  ///< by slot
};

}  // namespace stashscope
