#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace stashscope {

/// Memory at one of the moments that a training log reports. Named as the memory observer of ONNX
/// Runtime's training log names them.
struct MemoryPhase {
  std::string_view name;           ///< `pre_forward`, `post_forward`, ...
  std::int64_t current_bytes = 0;  ///< that are allocated at this moment
  std::int64_t maximum_bytes = 0;  ///< that were allocated at any moment so far

  friend bool operator==(const MemoryPhase&, const MemoryPhase&) = default;
};

/// The phases of one step: before and after its forward pass and, if it has one, its backward pass.
/// @param live_bytes while the node of each step runs
/// @param idle_bytes before each step and after the last; empty: nothing is known, no phases
/// @param forward_slots how many of the steps belong to the forward pass
std::vector<MemoryPhase> memory_phases(const std::vector<std::int64_t>& live_bytes,
                                       const std::vector<std::int64_t>& idle_bytes,
                                       std::size_t forward_slots);

}  // namespace stashscope
