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

/// Places the names of the forward and backward columns where they cover nothing. A name lies above
/// its column, or at the upper edge of the visible area if there is no space above the column. A
/// name without a free position is left out.
std::vector<Caption> place_captions(const layout::Drawing& drawing, const Camera& camera,
                                    Occupied occupied, const QFont& font);

/// Adds the rectangles of all boxes in view that are painted without an inside: nodes, closed
/// groups and blocks.
void add_boxes(Occupied& occupied, const GraphScene& scene, const Camera& camera);

/// Adds small rectangles along the edges and the curves of stashed activations in view. If more
/// than some thousand rectangles are in view, the rest is left out.
void add_lines(Occupied& occupied, const GraphScene& scene, const Camera& camera);

}  // namespace stashscope::ui
