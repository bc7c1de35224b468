#pragma once

#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// By slot, the seconds from the start of the step to the start of its node, and the end of the
/// step. Nodes run one after the other.
std::vector<double> slot_starts(const Study& study, const Variant& variant);

}  // namespace stashscope
