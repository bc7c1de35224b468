#pragma once

#include <string>

#include "core/layout/drawing.h"

namespace stashscope::layout {

/// The picture as one SVG document: boxes coloured by lifetime, stash curves, a legend.
std::string to_svg(const Drawing& drawing, const std::string& title);

/// Widths for the font of that document, where no font is at hand to ask.
double svg_text_width(std::string_view text);

}  // namespace stashscope::layout
