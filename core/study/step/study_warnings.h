#pragma once

#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// Warnings about a study: assumed or unknown sizes, and choices that are left out or change
/// nothing. `StudyParts::warnings` is not read.
std::vector<std::string> warnings_of(const StudyParts& study);

}  // namespace stashscope
