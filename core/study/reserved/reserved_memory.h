#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/allocator/allocator_settings.h"
#include "core/study/step/study.h"

namespace stashscope {

class StepListener;

/// A step is played through an allocator at most this number of times. Bytes that further
/// repetitions would reserve are not counted.
constexpr int most_played_steps = 8;

/// The settings of the chosen allocator; nothing if none is chosen. Throws a usage Error for
/// settings that cannot be read.
std::optional<AllocatorSettings> allocator_settings(const Choices& choices);

/// The bytes that PyTorch's caching allocator reserves while a step is repeated.
struct ReservedMemory {
  std::int64_t reserved_bytes = 0;
  std::int64_t fragmentation_bytes = 0;  ///< reserved beyond the peak of tensors
  /// Reserved bytes while the node in each slot runs, in the last played step.
  std::vector<std::int64_t> by_slot;
};

/// Plays the tensors of a variant through the allocator. First come the tensors that exist before
/// the step. The step is then repeated until it reserves no more, at most `most_played_steps`
/// times. Of the tensors that a step makes and that outlive the step, only new optimizer states
/// stay; the others are freed before the next step.
/// @param variant a variant of the study's step
ReservedMemory reserved_memory(const Study& study, const Variant& variant,
                               const AllocatorSettings& settings);
/// The same for a timeline of a step with these rules.
/// @param listener is told of every step; may be null
/// @param held the bytes of blocks that the program allocates before the steps and keeps
ReservedMemory reserved_memory(const BufferRules& rules, const Timeline& timeline,
                               const AllocatorSettings& settings, StepListener* listener = nullptr,
                               std::span<const std::int64_t> held = {});

}  // namespace stashscope
