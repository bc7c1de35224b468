#pragma once

#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// All warnings about a study: those of the model and of the training step, assumed or unknown
/// sizes, and choices that are left out or change nothing. Does not read `StudyParts::warnings`.
std::vector<std::string> warnings_of(const StudyParts& study);

}  // namespace stashscope
