#pragma once

#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// For each slot, the seconds from the start of the step to the start of the slot's node. The last
/// element is the end of the step. Nodes run one after the other.
std::vector<double> slot_starts(const Study& study, const Variant& variant);

}  // namespace stashscope
