#pragma once

#include <optional>

#include "core/allocator/allocator_advice.h"
#include "core/study/step/study.h"

namespace stashscope {

/// Tries settings on a variant of the study's step: those of a table, and `present` if it is not in
/// the table.
AllocatorAdvice allocator_advice(const Study& study, const Variant& variant,
                                 const std::optional<AllocatorSettings>& present = {});

}  // namespace stashscope
