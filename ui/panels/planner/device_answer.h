#pragma once

#include <QString>

#include "core/study/search/budget.h"

namespace stashscope::ui {

/// What the step takes of the device with the best plan of an answer and with memory outside
/// tensors, as rich text. Empty if the request does not limit that.
QString device_answer_text(const BudgetAnswer& answer);

/// An addition to a peak: `, with the CUDA context and libraries up to 9.01 GiB`. Empty if what the
/// step takes of the device was not asked for.
QString most_of_device_text(const std::optional<DeviceMemory>& device);

}  // namespace stashscope::ui
