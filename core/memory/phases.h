#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace stashscope {

/// Memory at one of the moments that a training log reports. The names are taken from the memory
/// observer of ONNX Runtime's training log.
struct MemoryPhase {
  std::string_view name;           ///< `pre_forward`, `post_forward`, ...
  std::int64_t current_bytes = 0;  ///< allocated at this moment
  std::int64_t maximum_bytes = 0;  ///< peak so far

  friend bool operator==(const MemoryPhase&, const MemoryPhase&) = default;
};

/// The phases of one step: before and after the forward pass, and before and after the backward
/// pass if there is one.
/// @param live_bytes by slot, while the node of the slot runs
/// @param idle_bytes before each slot and after the last one; if empty (unknown), the result has no
/// phases
/// @param forward_slots number of slots of the forward pass
std::vector<MemoryPhase> memory_phases(const std::vector<std::int64_t>& live_bytes,
                                       const std::vector<std::int64_t>& idle_bytes,
                                       std::size_t forward_slots);

}  // namespace stashscope
