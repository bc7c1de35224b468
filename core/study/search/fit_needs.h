#pragma once

#include <cstdint>
#include <optional>

#include "core/study/search/largest_fit.h"

namespace stashscope {

/// The memory that a step needs: the amounts that a question limits.
struct FitNeeds {
  std::int64_t peak_bytes = 0;
  std::int64_t later_peak_bytes = 0;           ///< the peak of later steps (later_steps.h)
  std::optional<std::int64_t> reserved_bytes;  ///< set if the question has an allocator
  std::optional<DeviceMemory> device;          ///< set if the question has `device_bytes`, too
};

/// All that a step needs, whether it fits or not.
/// @param timeline of a variant of the study's step; its tensors may have other sizes than in the
/// study
FitNeeds needs_of(const Study& study, const Timeline& timeline, const FitQuestion& question);

/// The needs of the step if it fits, else nothing. Plays the tensors through the allocator only if
/// the tensors fit, and plays them again with the memory outside tensors only if the reserved
/// memory fits.
std::optional<FitNeeds> needs_if_it_fits(const Study& study, const Timeline& timeline,
                                         const FitQuestion& question);

}  // namespace stashscope
