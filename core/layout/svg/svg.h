#pragma once

#include <string>

#include "core/layout/scene/colouring.h"

namespace stashscope::layout {

/// The picture as one SVG document: coloured boxes, stash curves, a legend.
std::string to_svg(const Drawing& drawing, const std::string& title,
                   Colouring colouring = Colouring::lifetime);

/// Widths for the font of that document, where no font is at hand to ask.
double svg_text_width(std::string_view text);

}  // namespace stashscope::layout
