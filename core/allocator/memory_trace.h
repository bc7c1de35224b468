#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocator/caching_allocator.h"

namespace stashscope {

/// What an allocator did.
enum class AllocatorAction : std::uint8_t {
  alloc,
  free_requested,  ///< the program has freed the tensor
  free_completed,  ///< the memory is free for other tensors
  segment_alloc,
  segment_free,
  segment_map,    ///< an expandable segment got memory
  segment_unmap,  ///< an expandable segment gave memory back
  other           ///< an event without an effect on memory, such as a snapshot
};

/// The action with this name in a recording, such as `segment_alloc`. Nothing if it is unknown.
std::optional<AllocatorAction> action_named(std::string_view name);

/// One event of a recorded trace.
struct AllocatorEvent {
  AllocatorAction action = AllocatorAction::other;
  std::int64_t address = 0;
  std::int64_t bytes = 0;  ///< of the tensor as it was asked for, or of the segment
  std::int64_t stream = 0;
};

/// Whether an event is the first of consecutive events that give segments back. One release of the
/// cache may give back several segments.
bool begins_release(std::span<const AllocatorEvent> events, std::size_t index);

/// A block of a recorded segment.
struct RecordedBlock {
  std::int64_t address = 0;
  std::int64_t bytes = 0;
  std::int64_t requested_bytes = 0;
  bool is_free = false;
};

/// A segment of a recorded state.
struct RecordedSegment {
  std::int64_t address = 0;
  std::int64_t bytes = 0;
  std::int64_t stream = 0;
  MemoryPool pool = MemoryPool::large;
  bool is_expandable = false;
  std::vector<RecordedBlock> blocks = {};  ///< by ascending address; empty: one free block
};

/// The state of a recorded allocator.
struct RecordedState {
  AllocatorSettings settings;
  std::vector<RecordedSegment> segments;  ///< by ascending address

  std::int64_t reserved_bytes() const;
};

/// The settings of a recorded allocator, from its environment variable and the values recorded
/// beside it. Throws an input Error for settings that cannot be read.
/// @param max_split_bytes 0 or less: not recorded
AllocatorSettings recorded_settings(const std::string& variable, std::int64_t max_split_bytes,
                                    bool expandable_segments);

/// Reads events from CSV with the columns action, addr, size and, if present, stream. Throws an
/// input Error that names the line.
std::vector<AllocatorEvent> parse_trace_events(std::string_view csv);

/// Reads a state from JSON: settings and segments, as in a memory snapshot of PyTorch; a block may
/// be a list of address, size, requested size and state. Throws an input Error, which names the
/// segment if a segment is wrong.
RecordedState parse_recorded_state(const std::string& json_text);

/// Throws an input Error for a recording with segments that are mapped page by page.
void check_replayable(std::span<const AllocatorEvent> events, const RecordedState& end);

/// Throws the input Error for an event that frees a tensor that the recording does not have.
/// @param index of the event
[[noreturn]] void fail_unknown_tensor(const AllocatorEvent& event, std::size_t index);

}  // namespace stashscope
