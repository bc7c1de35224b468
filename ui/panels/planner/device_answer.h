#pragma once

#include <QString>

#include "core/study/search/budget.h"

namespace stashscope::ui {

/// What the step takes of the device with the best plan of an answer and with memory outside
/// tensors, as rich text. Empty if the request does not limit that.
QString device_answer_text(const BudgetAnswer& answer);

}  // namespace stashscope::ui
