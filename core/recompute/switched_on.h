#pragma once

#include "core/recompute/clusters.h"

namespace stashscope {

/// Whether a config has every entry of the row, each with a count other than 0.
bool is_switched_on(const PlanRow& row, const RecomputeConfig& config);

}  // namespace stashscope
