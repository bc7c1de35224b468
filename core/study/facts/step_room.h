#pragma once

#include <cstdint>
#include <optional>

#include "core/study/facts/peak_floor.h"
#include "core/study/step/later_steps.h"

namespace stashscope {

/// How much memory a step leaves free, and whether plans or passes can make it fit. All amounts are
/// in bytes.
struct StepRoom {
  std::int64_t memory = 0;  ///< the memory that the step may use, without the reserve; 0: unknown
  LaterSteps later;         ///< the steps after a captured step
  /// The memory less the peak of this and later steps, or less the bytes that the allocator
  /// reserves if these are more. Below 0: the excess.
  std::int64_t left = 0;
  PeakFloor floor;  ///< the tensors that no plan frees; computed only if not `tensors_fit`
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
/// @param reserved_bytes the bytes that the allocator reserves for the step; nothing: not known
StepRoom room_of(const Study& study, std::optional<std::int64_t> reserved_bytes = {});

/// A step fits narrowly if it leaves less than this share of the memory, in percent.
constexpr int narrow_percent = 10;

}  // namespace stashscope
