#pragma once

#include <cstdint>
#include <optional>

#include "core/base/progress.h"
#include "core/study/step/study.h"

namespace stashscope {

/// Whether all occurrences of the row are in use. A click on the row's tick then switches the row
/// off.
bool is_fully_applied(const PlanRow& row);

/// The choices after a click on the tick of a row. The click switches the row on, or off if all its
/// occurrences are in use.
Choices with_row_switched(const Study& study, const PlanRow& row);

/// Whether `peak_change` can be called. It cannot be called for a searched order, because the order
/// would be searched again for each row, nor for a planned sequence, because switching a row would
/// drop the sequence.
bool can_try_rows(const Study& study);

/// The change of the current step's peak in bytes if the row's tick is changed now. The number
/// comes from the study of the changed choices, so it is exact. Nothing if the study of the changed
/// choices cannot be computed. Throws a cancelled Error when cancelled.
/// @param row a row of the study's plan table
/// @pre `can_try_rows(study)`
std::optional<std::int64_t> peak_change(const Study& study, const PlanRow& row,
                                        const Progress& progress);

}  // namespace stashscope
