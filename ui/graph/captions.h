#pragma once

#include <QString>

#include "ui/graph/camera.h"
#include "ui/graph/graph_scene.h"
#include "ui/graph/occupied.h"

namespace stashscope::ui {

/// The name of a column of the picture, at its place on the screen.
struct Caption {
  QString text;
  QRectF rect;
};

/// Places the names of the forward and backward columns above their columns or at the upper edge of
/// the room, where they cover nothing. A name without a free place is left out.
std::vector<Caption> place_captions(const layout::Drawing& drawing, const Camera& camera,
                                    Occupied occupied, const QFont& font);

/// Adds the rectangles of all boxes in view that are shown without an inside.
void add_boxes(Occupied& occupied, const GraphScene& scene, const Camera& camera);

}  // namespace stashscope::ui
