#pragma once

#include <QColor>

#include "core/memory/bands.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// Fill colour of a band of memory, for use below curves and beside text. Each theme has its own
/// colours, so that any two bands can be told apart in it.
QColor band_colour(Band band, const Theme& theme);

}  // namespace stashscope::ui
