#pragma once

#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// All warnings about a study, such as the warnings of its model and its training step, and
/// warnings about assumed or unknown sizes and about choices that are left out or change nothing.
/// Does not read `StudyParts::warnings`.
std::vector<std::string> warnings_of(const StudyParts& study);

}  // namespace stashscope
