#include "core/allocator/replay.h"

#include <algorithm>
#include <unordered_map>

#include "core/allocator/start_state.h"
#include "core/base/error.h"

namespace stashscope {

namespace {

class Replay {
 public:
  Replay(const RecordedState& start, ReplayAddresses addresses)
      : addresses_(addresses), allocator_(start.settings) {
    for (const RecordedSegment& segment : start.segments) {
      allocator_.add_segment(segment.address, segment.bytes, segment.stream, segment.pool);
      for (const RecordedBlock& block : segment.blocks) {
        if (block.is_free) continue;
        tensors_[block.address] =
            allocator_.allocate_at(block.address, block.requested_bytes, block.bytes);
      }
    }
    result_.start_bytes = allocator_.reserved_bytes();
  }

  ReplayResult run(std::span<const AllocatorEvent> events) {
    for (index_ = 0; index_ < events.size(); ++index_) {
      play(events[index_], begins_release(events, index_));
    }
    result_.reserved_end_bytes = allocator_.reserved_bytes();
    result_.most_reserved_bytes = allocator_.most_reserved_bytes();
    return result_;
  }

 private:
  bool is_recorded() const { return addresses_ == ReplayAddresses::recorded; }

  /// @param is_release whether a release of the cache begins with the event
  void play(const AllocatorEvent& event, bool is_release) {
    switch (event.action) {
      case AllocatorAction::alloc:
        return is_recorded() ? allocate_as_recorded(event) : allocate(event);
      case AllocatorAction::free_completed:
        return free(event);
      case AllocatorAction::segment_alloc:
        ++result_.new_segments;
        waiting_ = event;
        return;
      case AllocatorAction::segment_free:
        if (is_recorded()) return release(event);
        if (is_release) allocator_.empty_cache();
        return;
      case AllocatorAction::free_requested:
      case AllocatorAction::segment_map:
      case AllocatorAction::segment_unmap:
      case AllocatorAction::other:
        return;
    }
  }

  void allocate(const AllocatorEvent& event) {
    const std::int64_t before = allocator_.reserved_bytes();
    const MemoryBlockId block = allocator_.allocate(event.bytes, event.stream);
    const std::int64_t grown = allocator_.reserved_bytes() - before;
    if (waiting_ && grown == waiting_->bytes) ++result_.new_segments_right;
    waiting_.reset();
    count(event, block.valid() ? allocator_.block(block).address : 0, grown);
    tensors_[event.address] = block;
  }

  void allocate_as_recorded(const AllocatorEvent& event) {
    const CachingAllocator::Choice choice = allocator_.choice_for(event.bytes, event.stream);
    if (waiting_) {
      const bool is_right = !choice.block.valid() && choice.segment_bytes == waiting_->bytes;
      if (is_right) ++result_.new_segments_right;
      add_waiting(event);
    }
    const CachingAllocator::Choice place =
        choice.block.valid() ? choice : allocator_.choice_for(event.bytes, event.stream);
    const std::int64_t address = place.block.valid() ? allocator_.block(place.block).address : 0;
    count(event, address, choice.segment_bytes);
    const MemoryBlockId block = address == event.address
                                    ? allocator_.allocate(event.bytes, event.stream)
                                    : allocator_.allocate_at(event.address, event.bytes);
    tensors_[event.address] = block;
  }

  /// Adds the segment that the trace reserved for this tensor.
  void add_waiting(const AllocatorEvent& tensor) {
    const MemoryPool pool = pool_for(tensor.bytes, allocator_.settings());
    allocator_.add_segment(waiting_->address, waiting_->bytes, waiting_->stream, pool);
    waiting_.reset();
  }

  void count(const AllocatorEvent& event, std::int64_t address, std::int64_t new_bytes) {
    ++result_.allocations;
    if (address == event.address) {
      ++result_.at_recorded_address;
    } else if (!result_.first_difference) {
      result_.first_difference = {index_, event.bytes, event.address, address,
                                  reason_of(event, address, new_bytes)};
    }
  }

  std::string reason_of(const AllocatorEvent& event, std::int64_t address,
                        std::int64_t new_bytes) const {
    if (!is_recorded()) return "the segments lie elsewhere than recorded";
    if (address == 0) {
      return "no free block is large enough, so a segment of " + std::to_string(new_bytes) +
             " B would be new";
    }
    const MemoryBlockId block = allocator_.choice_for(event.bytes, event.stream).block;
    return "the smallest free block that is large enough has " +
           std::to_string(allocator_.block(block).bytes) + " B and lies elsewhere";
  }

  void free(const AllocatorEvent& event) {
    const auto found = tensors_.find(event.address);
    if (found == tensors_.end()) fail_unknown_tensor(event, index_);
    if (found->second.valid()) allocator_.free(found->second);
    tensors_.erase(found);
  }

  void release(const AllocatorEvent& event) {
    const MemorySegmentId segment = allocator_.segment_at(event.address);
    if (segment.valid()) allocator_.release_segment(segment);
  }

  ReplayAddresses addresses_;
  CachingAllocator allocator_;
  std::unordered_map<std::int64_t, MemoryBlockId> tensors_;  ///< by recorded address
  std::optional<AllocatorEvent> waiting_;  ///< a new segment of the trace, until its tensor comes
  std::size_t index_ = 0;
  ReplayResult result_;
};

}  // namespace

ReplayResult replay(std::span<const AllocatorEvent> events, const RecordedState& end,
                    ReplayAddresses addresses) {
  check_replayable(events, end);
  Replay play(state_before(events, end), addresses);
  ReplayResult result = play.run(events);
  result.recorded_reserved_end_bytes = end.reserved_bytes();
  return result;
}

}  // namespace stashscope
