#pragma once

#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/allocator/memory_trace.h"
#include "core/base/gzip.h"

namespace stashscope {

/// The state of an allocator, as a recording has it.
inline RecordedState state_of(const CachingAllocator& allocator) {
  RecordedState state{allocator.settings(), {}};
  for (const MemorySegmentId id : allocator.segments()) {
    const MemorySegment& segment = allocator.segment(id);
    RecordedSegment recorded{segment.address, segment.reserved_bytes, segment.stream, segment.pool,
                             segment.is_expandable};
    for (const MemoryBlockId each : allocator.blocks_of(id)) {
      const MemoryBlock& block = allocator.block(each);
      recorded.blocks.push_back(
          {block.address, block.bytes, block.requested_bytes, !block.is_allocated});
    }
    state.segments.push_back(std::move(recorded));
  }
  return state;
}

/// An allocator that records what it does from some moment on.
class Recorder {
 public:
  explicit Recorder(std::uint32_t seed) : random_(seed) {}

  void work(int steps, bool is_recording) {
    for (int i = 0; i < steps; ++i) {
      if (random_() % 100 < 52 || held_.empty()) {
        allocate(is_recording);
      } else {
        free(is_recording);
      }
    }
  }

  const CachingAllocator& allocator() const { return allocator_; }
  const std::vector<AllocatorEvent>& events() const { return events_; }

 private:
  void allocate(bool is_recording) {
    const std::int64_t bytes =
        1 + static_cast<std::int64_t>(random_() % (1U << (10 + random_() % 15)));
    const std::int64_t before = allocator_.reserved_bytes();
    const MemoryBlockId block = allocator_.allocate(bytes);
    held_.emplace_back(block, bytes);
    if (!is_recording) return;
    const MemoryBlock& placed = allocator_.block(block);
    if (allocator_.reserved_bytes() > before) {
      events_.push_back({AllocatorAction::segment_alloc, allocator_.segment(placed.segment).address,
                         allocator_.reserved_bytes() - before, 0});
    }
    events_.push_back({AllocatorAction::alloc, placed.address, bytes, 0});
  }

  void free(bool is_recording) {
    std::swap(held_[random_() % held_.size()], held_.back());
    const auto [block, bytes] = held_.back();
    held_.pop_back();
    if (is_recording) {
      const std::int64_t address = allocator_.block(block).address;
      events_.push_back({AllocatorAction::free_requested, address, bytes, 0});
      events_.push_back({AllocatorAction::free_completed, address, bytes, 0});
    }
    allocator_.free(block);
  }

  std::mt19937 random_;
  CachingAllocator allocator_;
  std::vector<std::pair<MemoryBlockId, std::int64_t>> held_;
  std::vector<AllocatorEvent> events_;
};

/// Traces of GPUs, recorded by PyTorch.
inline const std::vector<std::string> shared_recordings = {
    "K_memory_ctx128_fullstep", "K_memory_ctx256_fullstep", "W_medium_128_training",
    "W_medium_1024_inference", "W_medium_1024_training"};

struct SharedRecording {
  std::vector<AllocatorEvent> events;
  RecordedState end;
};

/// One of these traces; nothing if it is absent.
inline std::optional<SharedRecording> shared_recording(const std::string& name) {
  const std::filesystem::path base =
      std::filesystem::path(STASHSCOPE_SHARED) / "cases/allocator" / name;
  const std::string file = base.string() + ".events.csv.gz";
  if (!std::filesystem::exists(file)) return std::nullopt;
  constexpr std::int64_t most = std::int64_t{1} << 30;
  return SharedRecording{
      parse_trace_events(read_maybe_gzip(file, most)),
      parse_recorded_state(read_maybe_gzip(base.string() + ".segments.json.gz", most))};
}

}  // namespace stashscope
