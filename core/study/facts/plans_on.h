#pragma once

#include <vector>

#include "core/recompute/config.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The rows of both plan tables, by the index of `plan_row`, that a config switches on.
std::vector<std::size_t> plans_on(const Study& study, const RecomputeConfig& config);

/// For each of `rows`, the number of places at which the row's plan is carried out under `config`.
/// @param rows indices of `plan_row`
std::vector<int> places_in_use(const Study& study, const RecomputeConfig& config,
                               const std::vector<std::size_t>& rows);

}  // namespace stashscope
