#pragma once

#include <QSizeF>
#include <memory>

#include "core/layout/scene/colouring.h"
#include "ui/graph/layout_service.h"

namespace stashscope::ui {

/// What a file with a picture of the graph can be; its suffix tells.
enum class PictureFormat : unsigned char { svg, png, pdf };

/// By the suffix of a path, whatever its case. Throws a usage Error that lists them for another.
PictureFormat picture_format(const std::string& path);

/// How many pixels one unit of a picture of this size becomes in a PNG: 2, or less where the image
/// would be larger than programs open.
double png_scale(QSizeF picture);

/// Writes the whole picture with title and legend, on light ground. Call it off the interface
/// thread. Throws an Error when the file cannot be written.
void export_picture(const std::shared_ptr<const GraphPicture>& picture, layout::Colouring colouring,
                    const std::string& title, const std::string& path);

/// Size of the exported picture at scale 1, title and legend included.
QSizeF page_size(const layout::Drawing& drawing);

}  // namespace stashscope::ui
