#pragma once

#include <QColor>

#include "core/layout/scene/colour_map.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

inline QColor to_qt(const layout::Rgb& colour) { return {colour.red, colour.green, colour.blue}; }

/// The colour of a share from 0 to 1, in the colour map that all views use for data.
inline QColor lifetime_colour(double share) { return to_qt(layout::lifetime_colour(share)); }

/// A colour of data as the theme draws it: in dark themes, dark colours are mixed with white until
/// they stand out from the boxes.
QColor seen_colour(const QColor& colour, const Theme& theme);

/// Black or white: the one that has more contrast as a text on `colour`.
QColor text_colour_on(const QColor& colour);

}  // namespace stashscope::ui
