#pragma once

#include <QSizeF>
#include <memory>
#include <optional>

#include "core/layout/scene/colouring.h"
#include "ui/document/selection.h"
#include "ui/graph/layout_service.h"
#include "ui/pictures/picture.h"

namespace stashscope::ui {

/// How a view shows a graph.
struct GraphLook {
  layout::Colouring colouring = layout::Colouring::lifetime;
  Selection selection;              ///< marked in the picture if `hops` is set
  std::optional<int> hops;          ///< as in `GraphScene::mark`
  std::optional<std::size_t> slot;  ///< as in `GraphScene::show_alive_at`
};

/// The graph with title and legend, on a light background. With `hops`, the part around the
/// selection, otherwise the whole graph. If the picture is saved as SVG, `layout::to_svg` makes the
/// file, as for reports.
/// @param file path of the model, whose name is in the title
Picture exported_graph(const std::shared_ptr<const GraphPicture>& picture, const GraphLook& look,
                       const QString& file);

/// Size of the exported picture, title and legend included.
/// @param shown the part of the drawing that is exported
QSizeF page_size(const layout::Rect& shown, const QString& title);

}  // namespace stashscope::ui
