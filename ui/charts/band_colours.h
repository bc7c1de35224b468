#pragma once

#include <QColor>

#include "core/memory/bands.h"

namespace stashscope::ui {

/// Fill colour of a band of memory, for use below curves and beside text in both themes.
QColor band_colour(Band band, bool dark);

}  // namespace stashscope::ui
