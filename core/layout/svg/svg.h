#pragma once

#include <string>

#include "core/layout/scene/colouring.h"

namespace stashscope::layout {

/// The picture as one SVG document with coloured boxes, stash curves and a legend.
std::string to_svg(const Drawing& drawing, const std::string& title,
                   Colouring colouring = Colouring::lifetime);

/// Estimated width in pixels of a text in the document of `to_svg`, for use without a font.
double svg_text_width(std::string_view text);

}  // namespace stashscope::layout
