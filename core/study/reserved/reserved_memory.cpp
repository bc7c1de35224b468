#include "core/study/reserved/reserved_memory.h"

#include "core/study/reserved/step_player.h"

namespace stashscope {

ReservedMemory reserved_memory(const BufferRules& rules, const Timeline& timeline,
                               const AllocatorSettings& settings, StepListener* listener) {
  StepPlayer player(rules, timeline, settings);
  if (listener != nullptr) player.listen(*listener);
  player.begin_steps();
  ReservedMemory memory;
  for (int step = 0; step < most_played_steps; ++step) {
    const std::int64_t before = player.allocator().most_reserved_bytes();
    memory.by_slot.clear();
    player.run_step(memory.by_slot);
    if (step > 0 && player.allocator().most_reserved_bytes() == before) break;
  }
  if (listener != nullptr) listener->ends();
  memory.reserved_bytes = player.allocator().most_reserved_bytes();
  memory.fragmentation_bytes = memory.reserved_bytes - timeline.peak_bytes;
  return memory;
}

ReservedMemory reserved_memory(const Study& study, const Variant& variant,
                               const AllocatorSettings& settings) {
  return reserved_memory(study.prepared->rules, variant.timeline, settings);
}

ReservedPair reserved_pair(const Study& study, const AllocatorSettings& settings) {
  return {settings, reserved_memory(study, *study.baseline, settings),
          reserved_memory(study, *study.current, settings)};
}

}  // namespace stashscope
