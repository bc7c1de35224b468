#pragma once

#include <QString>

#include "core/study/search/budget.h"

namespace stashscope::ui {

/// Says how much of the device's memory the step takes with the best plan of an answer, including
/// memory outside tensors, as rich text. Empty if the request does not limit this memory.
QString device_answer_text(const BudgetAnswer& answer);

/// An addition to a peak: `, with the CUDA context and libraries up to 9.01 GiB`. Empty if the
/// memory that the step takes of the device was not asked for.
QString most_of_device_text(const std::optional<DeviceMemory>& device);

}  // namespace stashscope::ui
