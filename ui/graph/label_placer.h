#pragma once

#include <map>

#include "ui/graph/captions.h"
#include "ui/graph/graph_scene.h"

namespace stashscope::ui {

enum class LabelKind : unsigned char {
  title,    ///< title in a box
  line,     ///< text below the title in a box
  heading,  ///< title of an open box
  beside,   ///< title beside a box that is too small for it
};

/// A text of a box, at its place on the screen.
struct GraphLabel {
  std::uint32_t box = 0;
  LabelKind kind = LabelKind::title;
  int pixels = 0;  ///< font size
  QRectF rect;
  QString text;
};

/// All texts of a painted frame. On the screen, no text covers another text, and no heading covers
/// a node, a closed group or a block.
struct GraphTexts {
  std::vector<GraphLabel> labels;
  std::vector<Caption> captions;
  /// Boxes that are drawn wider than in the layout, because their titles need the room: the right
  /// edge on the screen, by box.
  std::map<std::uint32_t, double> right_edges;
};

struct LabelOptions {
  Detail detail = Detail::screen;
  std::optional<std::uint32_t> hovered;
  std::optional<QRectF> keep_free;  ///< a place that no text may cover
};

/// Places the texts of the boxes in view, the most important texts first. The selected box comes
/// first; unless it is an open group, it always has its title. The box under the pointer follows.
/// Then come groups (outer groups first) and nodes (those with the most stashed bytes first). Texts
/// keep a readable size. The box of a node becomes wider for a title that does not fit, where there
/// is room. Any other title that does not fit is shortened or left out. The titles of blocks, of
/// nodes, of boxes outside all groups, and of the selected and the hovered box may stand beside
/// their boxes.
GraphTexts place_texts(const GraphScene& scene, const Camera& camera, const QRectF& room,
                       const LabelOptions& options);

/// The box whose mark ▸ or ▾ is painted at a point; nullopt if no mark is there.
std::optional<std::uint32_t> box_with_mark_at(const GraphTexts& texts, QPointF point);

/// The strip of colour at the left of a box, on the screen.
QRectF strip_place(const QRectF& box, double zoom);

/// Boxes lower than this many pixels have no title inside. Grows with the text size.
double least_box_height();

/// An open box becomes a block if most boxes inside it are lower than this many pixels, because the
/// titles of these boxes would not fit. Grows with the text size.
double least_inner_height();

}  // namespace stashscope::ui
