#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/allocator/memory_trace.h"

namespace stashscope {

/// Where new segments of a replay lie.
enum class ReplayAddresses : std::uint8_t {
  /// Where the trace has them. A tensor that the allocator would place elsewhere is placed at its
  /// recorded address.
  recorded,
  own  ///< where the allocator puts them: the trace decides only sizes and times
};

/// The first allocation that lies elsewhere than recorded.
struct ReplayDifference {
  std::size_t event = 0;  ///< index in the trace
  std::int64_t bytes = 0;
  std::int64_t recorded_address = 0;
  std::int64_t address = 0;  ///< where the allocator places the tensor; 0: in a new segment
  std::string reason;        ///< one clause
};

/// How far the allocator does what a recorded trace shows.
struct ReplayResult {
  std::int64_t allocations = 0;
  std::int64_t at_recorded_address = 0;
  std::int64_t new_segments = 0;        ///< in the trace
  std::int64_t new_segments_right = 0;  ///< of these, as large and at the same event in the replay
  std::int64_t start_bytes = 0;         ///< reserved before the trace
  std::int64_t reserved_end_bytes = 0;
  std::int64_t recorded_reserved_end_bytes = 0;
  std::int64_t most_reserved_bytes = 0;
  std::optional<ReplayDifference> first_difference;
};

/// Plays a recorded trace through the caching allocator, from the state before the trace
/// (`state_before`). Throws an input Error if the trace frees a tensor that it does not have, or
/// has expandable segments.
ReplayResult replay(std::span<const AllocatorEvent> events, const RecordedState& end,
                    ReplayAddresses addresses);

}  // namespace stashscope
