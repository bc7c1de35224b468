#pragma once

#include "ui/pictures/picture.h"

namespace stashscope::ui {

/// The picture as an SVG document of shapes, texts and images, as far as this program paints:
/// brushes of one colour or linear gradients, pens of one colour. QSvgGenerator of Qt 6.4 would
/// paint what a view clips away.
std::string painted_svg(const Picture& picture);

/// Pixels per inch of images in memory, for which fonts in points have their size on the screen.
int screen_resolution();

}  // namespace stashscope::ui
