#pragma once

#include "core/study/search/budget_input.h"

namespace stashscope::ui {

/// The last place of the slider, which means the whole peak. The first place is 0.
constexpr int slider_end = 1000;

/// The slider place of a budget; budgets above the peak are at the end.
int slider_place(std::int64_t budget_bytes, std::int64_t peak_bytes);
BudgetInput budget_at(int slider_place);

}  // namespace stashscope::ui
