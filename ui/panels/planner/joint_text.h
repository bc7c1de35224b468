#pragma once

#include <QString>

#include "core/study/search/budget.h"

namespace stashscope::ui {

/// The answer of a search with what-ifs, as rich text: whether the budget is met, the peak and the
/// time of a step, and what is proven. @pre answer.joint
QString joint_answer_text(const BudgetAnswer& answer);

/// One sentence with the reason for each choice of the answer and for each choice that the answer
/// leaves out, as rich text. @pre answer.joint
QString explanation_text(const BudgetAnswer& answer);

}  // namespace stashscope::ui
