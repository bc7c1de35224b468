#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/layout/scene/colouring.h"
#include "core/layout/scene/vicinity.h"

namespace stashscope::layout {

/// The part of a drawing that a document is about.
struct SvgFocus {
  Rect frame;                  ///< the document shows this rectangle and a margin around it
  DrawingPart clear;           ///< boxes and edges that are not faded
  std::vector<bool> selected;  ///< by box: true if it has a strong border
};

/// The picture as one SVG document with coloured boxes, stash curves and a legend.
/// @param focus empty: the whole drawing, and nothing is faded
std::string to_svg(const Drawing& drawing, const std::string& title,
                   Colouring colouring = Colouring::lifetime,
                   const std::optional<SvgFocus>& focus = std::nullopt);

/// Estimated width in pixels of a text in the document of `to_svg`, for use without a font.
double svg_text_width(std::string_view text);

}  // namespace stashscope::layout
