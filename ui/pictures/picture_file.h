#pragma once

#include <QImage>

#include "ui/pictures/picture.h"

namespace stashscope::ui {

/// Format of a saved picture, chosen by the suffix of the file.
enum class PictureFormat : unsigned char { svg, png, pdf };

/// The format that the suffix of a path names, in upper or lower case. For an unknown suffix,
/// throws a usage Error that lists the formats.
PictureFormat picture_format(const std::string& path);

/// The scale of a PNG of a picture of this size, in pixels per unit of the picture: 2, or less if
/// common programs could not open such a large image.
double png_scale(QSizeF picture);

/// The picture at `png_scale`. Throws a run Error if there is no memory for the image.
QImage image_of(const Picture& picture);

/// The content of a file in the given format. A PDF has one page. Texts in a PDF or an SVG stay
/// texts. Throws a run Error if the picture cannot be encoded.
std::string encoded(const Picture& picture, PictureFormat format);

}  // namespace stashscope::ui
