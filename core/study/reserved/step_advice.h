#pragma once

#include <optional>

#include "core/allocator/allocator_advice.h"
#include "core/study/step/study.h"

namespace stashscope {

/// Tries the settings of a fixed table on a variant of the study's step, and also `present` if the
/// table does not have it.
AllocatorAdvice allocator_advice(const Study& study, const Variant& variant,
                                 const std::optional<AllocatorSettings>& present = {});

}  // namespace stashscope
