#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/study/step/study.h"

namespace stashscope {

/// Whether a measurement file lists the operators that PyTorch ran. Such a file comes from
/// `stashscope.measure` of the Python package and belongs to a captured step
/// (docs/captured_step.md).
bool lists_operators(const nlohmann::json& file);

/// Checks that PyTorch ran the operators of the study's current variant, in the order and with the
/// sizes of this variant. Throws an input Error that states the difference.
/// @param file a file that lists operators
void check_operators(const nlohmann::json& file, const Study& study);

/// Whether the operators in the file are those of the study's variant without plans.
/// @pre `check_operators` accepted the file
bool runs_without_plans(const nlohmann::json& file, const Study& study);

}  // namespace stashscope
