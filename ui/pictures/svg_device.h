#pragma once

#include "ui/pictures/picture.h"

namespace stashscope::ui {

/// The picture as an SVG document of shapes, texts and images. A brush is written as one colour, as
/// a hatching or as a linear gradient, a pen as one colour. QSvgGenerator of Qt 6.4 is not used,
/// because it would paint what a view clips away.
std::string painted_svg(const Picture& picture);

/// Pixels per inch of images in memory. At this resolution, fonts in points have the same size as
/// on the screen.
int screen_resolution();

}  // namespace stashscope::ui
