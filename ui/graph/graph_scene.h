#pragma once

#include <QFont>
#include <QPainterPath>
#include <memory>
#include <vector>

#include "ui/document/selection.h"
#include "ui/graph/layout_service.h"

namespace stashscope::ui {

/// Size of the texts on boxes at zoom 1.
constexpr int title_pixels = 12;
constexpr int detail_pixels = 11;

QFont graph_font(double pixels);

/// For texts beside the picture, which do not grow with its zoom but with all other text.
QFont caption_font(double pixels);

/// How a box takes part in the selection.
enum class Mark : unsigned char {
  none,
  part,      ///< holds some of the marked nodes
  selected,  ///< shows the selected node, or nothing but marked nodes of one group
};

/// A picture prepared for painting: its curves as paths, its texts cut to fit. Immutable but for
/// the marks.
struct GraphScene {
  explicit GraphScene(std::shared_ptr<const GraphPicture> shown);

  const layout::Drawing& drawing() const { return picture->drawing; }
  /// Marks the boxes that show the selection.
  void mark(const Selection& selection);

  std::shared_ptr<const GraphPicture> picture;
  std::vector<QPainterPath> edges;
  std::vector<QPainterPath> bridges;
  std::vector<QString> titles;
  std::vector<QString> details;
  std::vector<Mark> marks;  ///< by box
};

inline QRectF to_qt(const layout::Rect& r) { return {r.x, r.y, r.width, r.height}; }
inline QPointF to_qt(const layout::Point& p) { return {p.x, p.y}; }

}  // namespace stashscope::ui
