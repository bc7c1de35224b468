#pragma once

#include "ui/graph/captions.h"
#include "ui/graph/graph_scene.h"

namespace stashscope::ui {

enum class LabelKind : unsigned char {
  title,    ///< in a box
  line,     ///< below the title
  heading,  ///< of an open box
  beside,   ///< the title of a box that is too small for it
};

/// A text of a box, at its place on the screen.
struct GraphLabel {
  std::uint32_t box = 0;
  LabelKind kind = LabelKind::title;
  int pixels = 0;  ///< font size
  QRectF rect;
  QString text;
};

/// All texts of a frame. None covers another one, and no heading covers a box.
struct GraphTexts {
  std::vector<GraphLabel> labels;
  std::vector<Caption> captions;
};

struct LabelOptions {
  Detail detail = Detail::screen;
  std::optional<std::uint32_t> hovered;
  std::optional<QRectF> keep_free;  ///< a place that no text may cover
};

/// Places the texts of what is in view, the most important ones first: the selected box, which
/// always has its title, the box under the pointer, then blocks before the modules inside them, and
/// operators by stashed bytes. Texts keep a readable size. Where a title does not fit, it is
/// shortened or left out; titles of blocks may stand beside them.
GraphTexts place_texts(const GraphScene& scene, const Camera& camera, const QRectF& room,
                       const LabelOptions& options);

/// The strip of colour at the left of a box, on the screen.
QRectF strip_place(const QRectF& box, double zoom);

/// Boxes lower than this many pixels have no title inside. Grows with the text size.
double least_box_height();

/// Open boxes become blocks if most boxes inside are lower than this many pixels: their titles
/// would not fit. Grows with the text size.
double least_inner_height();

}  // namespace stashscope::ui
