#include "core/study/reserved/reserved_memory.h"

#include "core/study/reserved/step_player.h"

namespace stashscope {

std::optional<AllocatorSettings> allocator_settings(const Choices& choices) {
  if (!choices.allocator) return std::nullopt;
  return parse_allocator_settings(*choices.allocator);
}

ReservedMemory reserved_memory(const BufferRules& rules, const Timeline& timeline,
                               const AllocatorSettings& settings, StepListener* listener,
                               std::span<const std::int64_t> held) {
  StepPlayer player(rules, timeline, CachingAllocator(settings));
  if (listener != nullptr) player.listen(*listener);
  player.begin_steps();
  for (const std::int64_t bytes : held) player.hold(bytes);
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

}  // namespace stashscope
