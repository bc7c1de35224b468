#include "core/memory/phases.h"

#include <algorithm>
#include <numeric>

namespace stashscope {

std::vector<MemoryPhase> memory_phases(const std::vector<std::int64_t>& live_bytes,
                                       const std::vector<std::int64_t>& idle_bytes,
                                       std::size_t forward_slots) {
  if (idle_bytes.size() != live_bytes.size() + 1 || forward_slots > live_bytes.size()) return {};
  const auto phase = [&](std::string_view name, std::size_t steps_done) {
    const auto end = live_bytes.begin() + static_cast<std::ptrdiff_t>(steps_done);
    const std::int64_t current = idle_bytes[steps_done];
    return MemoryPhase{name, current,
                       std::accumulate(live_bytes.begin(), end, current,
                                       [](auto a, auto b) { return std::max(a, b); })};
  };
  std::vector<MemoryPhase> phases = {phase("pre_forward", 0), phase("post_forward", forward_slots)};
  if (forward_slots == live_bytes.size()) return phases;
  phases.push_back(phase("pre_backward", forward_slots));
  phases.push_back(phase("post_backward", live_bytes.size()));
  return phases;
}

}  // namespace stashscope
