#include "core/allocator/trace_advice.h"

#include <algorithm>
#include <unordered_map>

#include "core/allocator/start_state.h"

namespace stashscope {

namespace {

/// A tensor that exists before the trace.
struct EarlierTensor {
  std::int64_t address = 0;
  std::int64_t bytes = 0;
  std::int64_t stream = 0;
};

std::vector<EarlierTensor> tensors_in(const RecordedState& state) {
  std::vector<EarlierTensor> tensors;
  for (const RecordedSegment& segment : state.segments) {
    for (const RecordedBlock& block : segment.blocks) {
      if (block.is_free) continue;
      tensors.push_back({block.address, block.requested_bytes, segment.stream});
    }
  }
  return tensors;
}

/// Plays a trace through an allocator that decides where tensors lie. Does not own the watch.
class TracePlayer {
 public:
  TracePlayer(const AllocatorSettings& settings, GrowthWatch* watch)
      : watch_(watch), allocator_(settings) {}

  AllocatorTrial play(const std::vector<EarlierTensor>& earlier,
                      std::span<const AllocatorEvent> events) {
    std::size_t count = 0;
    for (const EarlierTensor& tensor : earlier) {
      allocate(tensor.address, tensor.bytes, tensor.stream, PlacedTensorId(count++));
    }
    for (std::size_t i = 0; i < events.size(); ++i) {
      play(events[i], i, PlacedTensorId(count++));
      if (begins_release(events, i)) allocator_.empty_cache();
    }
    const std::int64_t reserved = allocator_.most_reserved_bytes();
    return {allocator_.settings(), reserved, reserved - peak_bytes_};
  }

 private:
  struct Tensor {
    MemoryBlockId block;
    std::int64_t bytes = 0;
  };

  void play(const AllocatorEvent& event, std::size_t index, PlacedTensorId tensor) {
    if (event.action == AllocatorAction::alloc) {
      allocate(event.address, event.bytes, event.stream, tensor);
    } else if (event.action == AllocatorAction::free_completed) {
      free(event, index);
    }
  }

  void allocate(std::int64_t address, std::int64_t bytes, std::int64_t stream,
                PlacedTensorId tensor) {
    if (watch_ != nullptr) watch_->allocates(allocator_, tensor, bytes, stream);
    const MemoryBlockId block = allocator_.allocate(bytes, stream);
    if (watch_ != nullptr && block.valid()) watch_->allocated(block, tensor);
    tensors_[address] = {block, bytes};
    live_bytes_ += bytes;
    peak_bytes_ = std::max(peak_bytes_, live_bytes_);
  }

  void free(const AllocatorEvent& event, std::size_t index) {
    const auto found = tensors_.find(event.address);
    if (found == tensors_.end()) fail_unknown_tensor(event, index);
    const auto [block, bytes] = found->second;
    tensors_.erase(found);
    live_bytes_ -= bytes;
    if (!block.valid()) return;
    if (watch_ != nullptr) watch_->frees(block);
    allocator_.free(block);
  }

  GrowthWatch* watch_;
  CachingAllocator allocator_;
  std::unordered_map<std::int64_t, Tensor> tensors_;  ///< by recorded address
  std::int64_t live_bytes_ = 0;
  std::int64_t peak_bytes_ = 0;
};

}  // namespace

AllocatorAdvice trace_advice(std::span<const AllocatorEvent> events, const RecordedState& end,
                             const std::function<std::string(const TraceTensor&)>& name) {
  check_replayable(events, end);
  const std::vector<EarlierTensor> earlier = tensors_in(state_before(events, end));
  const auto play = [&](const AllocatorSettings& settings, GrowthWatch* watch) {
    return TracePlayer(settings, watch).play(earlier, events);
  };
  const auto name_of = [&](PlacedTensorId id) {
    const std::size_t index = id.index();
    if (index < earlier.size()) return name({{}, earlier[index].address});
    const std::size_t event = index - earlier.size();
    return name({event, events[event].address});
  };
  return try_settings(play, name_of, end.settings);
}

}  // namespace stashscope
