#pragma once

#include <vector>

#include "core/recompute/config.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The rows of both plan tables, by the index of `plan_row`, that a config switches on.
std::vector<std::size_t> plans_on(const Study& study, const RecomputeConfig& config);

}  // namespace stashscope
