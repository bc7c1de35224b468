#pragma once

#include <QColor>

#include "core/memory/bands.h"

namespace stashscope::ui {

/// The colour in which a band of memory is filled, under curves and beside text of either theme.
QColor band_colour(Band band, bool dark);

}  // namespace stashscope::ui
