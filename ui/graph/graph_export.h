#pragma once

#include <QSizeF>
#include <memory>

#include "core/layout/scene/colouring.h"
#include "ui/graph/layout_service.h"

namespace stashscope::ui {

/// Format of an exported picture, chosen by the suffix of the file.
enum class PictureFormat : unsigned char { svg, png, pdf };

/// The format that the suffix of a path names, in upper or lower case. For an unknown suffix,
/// throws a usage Error that lists the formats.
PictureFormat picture_format(const std::string& path);

/// The scale of a PNG of a picture of this size, in pixels per unit of the picture: 2, or less if
/// common programs could not open such a large image.
double png_scale(QSizeF picture);

/// Writes the whole picture with title and legend, on a light ground. Must not be called on the
/// interface thread. Throws an Error if the file cannot be written.
void export_picture(const std::shared_ptr<const GraphPicture>& picture, layout::Colouring colouring,
                    const std::string& title, const std::string& path);

/// Size of the exported picture at scale 1, title and legend included.
QSizeF page_size(const layout::Drawing& drawing);

}  // namespace stashscope::ui
