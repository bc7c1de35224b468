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
  ReservedMemory memory;
  memory.by_slot = player.play(held);
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
