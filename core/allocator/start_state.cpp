#include "core/allocator/start_state.h"

#include <algorithm>
#include <map>

namespace stashscope {

namespace {

/// A tensor that lives at some moment of the trace.
struct LiveTensor {
  std::int64_t requested_bytes = 0;
  std::int64_t block_bytes = 0;  ///< 0: the recorded end does not tell it
};

/// The tensors and segments at a moment of a trace, by address.
struct Moment {
  std::map<std::int64_t, LiveTensor> tensors;
  std::map<std::int64_t, RecordedSegment> segments;
};

Moment moment_at_end(const RecordedState& end) {
  Moment moment;
  for (const RecordedSegment& segment : end.segments) {
    for (const RecordedBlock& block : segment.blocks) {
      if (!block.is_free) moment.tensors[block.address] = {block.requested_bytes, block.bytes};
    }
    moment.segments[segment.address] = segment;
  }
  return moment;
}

void undo(const AllocatorEvent& event, Moment& moment) {
  switch (event.action) {
    case AllocatorAction::alloc:
      moment.tensors.erase(event.address);
      break;
    case AllocatorAction::free_completed:
      moment.tensors[event.address] = {event.bytes, 0};
      break;
    case AllocatorAction::segment_alloc:
      moment.segments.erase(event.address);
      break;
    case AllocatorAction::segment_free:
      moment.segments[event.address] = {
          .address = event.address,
          .bytes = event.bytes,
          .stream = event.stream,
          .pool = event.bytes == small_segment_bytes ? MemoryPool::small : MemoryPool::large};
      break;
    case AllocatorAction::free_requested:
    case AllocatorAction::segment_map:
    case AllocatorAction::segment_unmap:
    case AllocatorAction::other:
      break;
  }
}

/// A block of unknown size with the gap behind its tensor, in which the trace may place tensors.
struct OpenGap {
  std::int64_t tensor = 0;  ///< address of the block
  std::int64_t begin = 0;   ///< the rounded end of the tensor
  std::int64_t end = 0;     ///< the next tensor, or the end of the segment
};

class StartState {
 public:
  StartState(Moment moment, const AllocatorSettings& settings)
      : moment_(std::move(moment)), settings_(settings) {}

  RecordedState infer(std::span<const AllocatorEvent> events) {
    for (const auto& [address, segment] : moment_.segments) measure(segment);
    look_for_ends(events);
    RecordedState state{settings_, {}};
    for (auto& [address, segment] : moment_.segments) {
      segment.blocks = blocks_of(segment);
      state.segments.push_back(std::move(segment));
    }
    return state;
  }

 private:
  /// Sets the sizes of the segment's blocks. Notes a gap that leaves the size of its block open.
  void measure(const RecordedSegment& segment) {
    const std::int64_t segment_end = segment.address + segment.bytes;
    auto at = moment_.tensors.lower_bound(segment.address);
    while (at != moment_.tensors.end() && at->first < segment_end) {
      auto& [address, tensor] = *at++;
      if (tensor.block_bytes > 0) continue;
      const bool is_last = at == moment_.tensors.end() || at->first >= segment_end;
      const std::int64_t end = is_last ? segment_end : at->first;
      tensor.block_bytes =
          std::min(end - address, rounded_bytes(tensor.requested_bytes, settings_));
      const OpenGap gap{address, address + tensor.block_bytes, end};
      if (segment.pool == MemoryPool::small || settings_.expandable_segments) continue;
      const bool is_unsplit =
          gap.end - gap.begin <= most_small_bytes ||
          (settings_.max_split_bytes && tensor.block_bytes >= *settings_.max_split_bytes);
      if (is_unsplit) {
        tensor.block_bytes = end - address;
      } else {
        gaps_[gap.begin] = gap;
      }
    }
  }

  void look_for_ends(std::span<const AllocatorEvent> events) {
    for (const AllocatorEvent& event : events) {
      if (gaps_.empty()) return;
      if (event.action == AllocatorAction::free_completed) close_gap_of(event.address);
      if (event.action == AllocatorAction::alloc) place_in_gap(event.address);
    }
  }

  void close_gap_of(std::int64_t tensor) {
    const auto found = moment_.tensors.find(tensor);
    if (found == moment_.tensors.end()) return;
    const auto gap = gaps_.find(tensor + found->second.block_bytes);
    if (gap != gaps_.end() && gap->second.tensor == tensor) gaps_.erase(gap);
  }

  /// The first tensor that is placed in a gap lies at the start of the free block.
  void place_in_gap(std::int64_t address) {
    auto after = gaps_.upper_bound(address);
    if (after == gaps_.begin()) return;
    const OpenGap gap = std::prev(after)->second;
    if (address >= gap.end) return;
    gaps_.erase(std::prev(after));
    if (address - gap.begin <= most_small_bytes) {
      moment_.tensors[gap.tensor].block_bytes = address - gap.tensor;
    }
  }

  std::vector<RecordedBlock> blocks_of(const RecordedSegment& segment) const {
    std::vector<RecordedBlock> blocks;
    std::int64_t at = segment.address;
    const std::int64_t end = segment.address + segment.bytes;
    for (auto tensor = moment_.tensors.lower_bound(at);
         tensor != moment_.tensors.end() && tensor->first < end; ++tensor) {
      const auto& [address, held] = *tensor;
      if (address > at) blocks.push_back({at, address - at, 0, true});
      blocks.push_back({address, held.block_bytes, held.requested_bytes, false});
      at = address + held.block_bytes;
    }
    if (at < end) blocks.push_back({at, end - at, 0, true});
    return blocks;
  }

  Moment moment_;
  const AllocatorSettings& settings_;
  std::map<std::int64_t, OpenGap> gaps_;  ///< by their begin
};

}  // namespace

RecordedState state_before(std::span<const AllocatorEvent> events, const RecordedState& end) {
  Moment moment = moment_at_end(end);
  for (auto event = events.rbegin(); event != events.rend(); ++event) undo(*event, moment);
  return StartState(std::move(moment), end.settings).infer(events);
}

}  // namespace stashscope
