#pragma once

#include <QSizeF>
#include <memory>

#include "core/layout/scene/colouring.h"
#include "ui/graph/layout_service.h"
#include "ui/pictures/picture.h"

namespace stashscope::ui {

/// The whole graph with title and legend, on a light background. If the picture is saved as SVG,
/// `layout::to_svg` makes the file, as for reports.
/// @param file path of the model, whose name is in the title
Picture whole_graph(const std::shared_ptr<const GraphPicture>& picture, layout::Colouring colouring,
                    const QString& file);

/// Size of the exported picture, title and legend included.
QSizeF page_size(const layout::Drawing& drawing);

}  // namespace stashscope::ui
