#pragma once

#include <cstdint>
#include <optional>

#include "core/study/facts/peak_floor.h"
#include "core/study/step/later_steps.h"

namespace stashscope {

/// What a step leaves of the memory that it must fit, and what its plans can change about it. All
/// amounts are in bytes.
struct StepRoom {
  std::int64_t memory = 0;  ///< what the step must fit, without the reserve; 0: unknown
  LaterSteps later;         ///< the steps after a captured step
  /// What this step, later steps or the allocator leave of the memory, whichever leaves least;
  /// below 0: the excess.
  std::int64_t left = 0;
  PeakFloor floor;  ///< what no plan frees; computed only for a step whose tensors do not fit
  /// Whether the step fits, but leaves little memory of the device for the bytes that the peak does
  /// not count. False if the user chose how much memory must be left for these bytes.
  bool is_narrow = false;
  bool tensors_fit = true;  ///< whether the tensors of this step and later ones fit
  /// Whether the step does not fit, because the bytes that no plan frees exceed the memory.
  bool no_plan_fits = false;
  /// Whether neither plans nor passes can make the step fit. Passes cannot free parameters,
  /// gradients and optimizer states, but they may free all other bytes.
  bool nothing_fits = false;
};
/// @param reserved_bytes what the allocator reserves for the step; nothing: not known
StepRoom room_of(const Study& study, std::optional<std::int64_t> reserved_bytes = {});

/// A step that leaves less than this share of the memory fits narrowly, in per cent.
constexpr int narrow_percent = 10;

}  // namespace stashscope
