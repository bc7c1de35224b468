#include "core/study/step/later_steps.h"

#include <algorithm>
#include <vector>

namespace stashscope {

bool is_made_state(const BufferRules& rules, const Buffer& buffer) {
  const bool is_state = !buffer.state && buffer.root.index() < rules.role.size() &&
                        rules.role[buffer.root] == ValueRole::optimizer_state;
  if (!is_state || !buffer.returned || rules.is_given[buffer.root]) return false;
  return rules.replaces_state.empty() || !rules.replaces_state[buffer.root];
}

LaterSteps later_steps(const BufferRules& rules, const Timeline& timeline) {
  const std::size_t slots = timeline.order.size();
  LaterSteps later{0, timeline.peak_bytes};
  std::vector<std::int64_t> made(slots + 1, 0);
  for (const Buffer& buffer : timeline.buffers) {
    if (!is_made_state(rules, buffer)) continue;
    later.state_bytes += buffer.bytes;
    made[buffer.first_slot] += buffer.bytes;
  }
  std::int64_t missing = later.state_bytes;
  for (std::size_t slot = 0; slot < slots && missing > 0; ++slot) {
    missing -= made[slot];
    later.peak_bytes = std::max(later.peak_bytes, timeline.live_bytes[slot] + missing);
  }
  return later;
}

LaterSteps later_steps(const Study& study, const Variant& variant) {
  return later_steps(study.prepared->rules, variant.timeline);
}

}  // namespace stashscope
