#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/allocator/caching_allocator.h"
#include "core/allocator/stream_ordered_pool.h"
#include "core/study/reserved/reserved_memory.h"

namespace stashscope {

/// The buffers of a timeline that are not persistent, by the slot in which they begin or end.
class SlotBuffers {
 public:
  template <class SlotOf>
  SlotBuffers(const Timeline& timeline, SlotOf slot_of) {
    // In a step without nodes, buffers that are both input and output begin and end in slot 0.
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

/// The type of the ids that an allocator gives to its blocks.
template <class Allocator>
using BlockOf = decltype(std::declval<Allocator&>().allocate(0));

/// A listener that a BasicStepPlayer tells what it allocates and frees. A `buffer` that is not set
/// stands for the workspace of the node in the slot.
template <class Allocator>
class BasicStepListener {
 public:
  using Block = BlockOf<Allocator>;

  BasicStepListener() = default;
  BasicStepListener(const BasicStepListener&) = delete;
  BasicStepListener& operator=(const BasicStepListener&) = delete;
  virtual ~BasicStepListener() = default;

  /// Called before all other functions. @param allocator lives until `ends`
  virtual void starts(const Allocator& allocator) = 0;
  /// Called before the node in the slot allocates anything.
  virtual void begins_slot(std::size_t /*slot*/) {}
  /// Called before an allocation.
  virtual void allocates(std::optional<BufferId> /*buffer*/, std::int64_t /*bytes*/) {}
  /// Called after an allocation that made a block.
  virtual void allocated(std::optional<BufferId> /*buffer*/, Block /*block*/) {}
  /// Called before a block is freed.
  virtual void frees(std::optional<BufferId> /*buffer*/, Block /*block*/) {}
  /// Called when all that the node in the slot needs is allocated.
  virtual void runs_slot(std::size_t /*slot*/) {}
  /// Called after the last step, before the allocator is gone.
  virtual void ends() {}
};

/// A listener that a StepPlayer tells what it allocates and frees.
class StepListener : public BasicStepListener<CachingAllocator> {};

/// Plays the buffers of a timeline through an allocator, a CachingAllocator or a StreamOrderedPool.
/// Refers to the rules and the timeline.
template <class Allocator>
class BasicStepPlayer {
 public:
  using Block = BlockOf<Allocator>;
  using Listener = BasicStepListener<Allocator>;

  /// Throws an input Error if the tensors of the timeline have more than 256 PiB in all, because
  /// the sums of an allocator would not fit 64 bits.
  BasicStepPlayer(const BufferRules& rules, const Timeline& timeline, Allocator allocator);

  /// @param listener must outlive the player
  void listen(Listener& listener) {
    listener_ = &listener;
    listener.starts(allocator_);
  }
  /// Allocates the persistent buffers and `held`. Then plays the step again and again until a step
  /// no longer raises the most reserved bytes, but at most `most_played_steps` times. The played
  /// program waits for the device after each step. Returns the reserved bytes by slot of the last
  /// step.
  /// @param held the bytes of blocks that the program allocates before the steps and keeps
  std::vector<std::int64_t> play(std::span<const std::int64_t> held);

  const Allocator& allocator() const { return allocator_; }

 private:
  /// Appends the reserved bytes of each slot.
  void run_step(std::vector<std::int64_t>& reserved);
  Block allocate(std::optional<BufferId> buffer, std::int64_t bytes);
  void free(std::optional<BufferId> buffer, Block block);
  void begin(BufferId id);
  void end(BufferId id);

  const BufferRules& rules_;
  const Timeline& timeline_;
  Allocator allocator_;
  Listener* listener_ = nullptr;
  IdVector<BufferId, Block> blocks_;
  SlotBuffers begun_;
  SlotBuffers ended_;
  std::vector<std::int64_t> workspace_;  ///< by slot
};

extern template class BasicStepPlayer<CachingAllocator>;
extern template class BasicStepPlayer<StreamOrderedPool>;

using StepPlayer = BasicStepPlayer<CachingAllocator>;

}  // namespace stashscope
