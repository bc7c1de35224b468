#pragma once

#include "core/study/search/budget_input.h"

namespace stashscope::ui {

/// The last place of the slider, for a budget of 100 % of the peak. The first place is 0.
constexpr int slider_end = 1000;

/// The slider place of a budget, rounded. Budgets above the peak have the last place.
int slider_place(std::int64_t budget_bytes, std::int64_t peak_bytes);
/// The budget at a slider place, as a share of the peak.
BudgetInput budget_at(int slider_place);

}  // namespace stashscope::ui
