#pragma once

#include "ui/theme/theme.h"

namespace stashscope::ui {

/// The colour of a pinned curve. @param slot index of the colour; after four, the colours repeat
QColor pinned_colour(std::size_t slot, bool dark);

}  // namespace stashscope::ui
