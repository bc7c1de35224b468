#pragma once

#include "ui/theme/theme.h"

namespace stashscope::ui {

/// The colour of a pinned curve. @param slot from 0 to 3
QColor pinned_colour(std::size_t slot, bool dark);

}  // namespace stashscope::ui
