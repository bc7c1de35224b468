#pragma once

#include <QString>

#include "core/study/search/budget.h"

namespace stashscope::ui {

/// The answer of a search with what-ifs, as rich text: whether the budget is met, the peak and the
/// time of a step, and what is proven. @pre answer.joint
QString joint_answer_text(const BudgetAnswer& answer);

/// What the answer consists of and what it leaves out, one sentence each with its reason, as rich
/// text. @pre answer.joint
QString explanation_text(const BudgetAnswer& answer);

}  // namespace stashscope::ui
