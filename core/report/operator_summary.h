#pragma once

#include <string>

#include "core/study/study.h"

namespace stashscope {

/// What can be recomputed by operator type, with the shapes of the activations and how often each
/// occurs: the summary that the first version of the reference's feature printed.
std::string operator_summary(const Study& study);

}  // namespace stashscope
