#pragma once

#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// The plans of a captured step that are applied, as the JSON text that `stashscope.apply` of the
/// Python package reads. Throws a usage Error if the model is no captured step.
/// (docs/captured_step.md)
std::string pytorch_plan(const Study& study);

}  // namespace stashscope
