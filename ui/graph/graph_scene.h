#pragma once

#include <QColor>
#include <QFont>
#include <QPointF>
#include <QRectF>
#include <memory>
#include <optional>
#include <vector>

#include "core/layout/scene/colouring.h"
#include "core/layout/scene/vicinity.h"
#include "ui/charts/data_colours.h"
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

/// How much a line between two boxes stands out.
enum class Strength : unsigned char { faded, normal, strong };

/// A picture prepared for painting. Making it takes no longer for thousands of boxes: what only few
/// boxes on the screen need is made when they are painted.
class GraphScene {
 public:
  explicit GraphScene(std::shared_ptr<const GraphPicture> shown);

  const GraphPicture& picture() const { return *picture_; }
  const std::shared_ptr<const GraphPicture>& shared_picture() const { return picture_; }
  const layout::Drawing& drawing() const { return picture_->drawing; }

  void colour_by(layout::Colouring colouring);
  layout::Colouring colouring() const { return colouring_; }
  /// The one colour of a box; nothing when it has none.
  const std::optional<QColor>& colour(std::size_t box) const { return colours_[box]; }

  /// Marks the boxes that show the selection.
  /// @param hops fades what is further from the selection than that; nothing: fades nothing
  void mark(const Selection& selection, std::optional<int> hops = std::nullopt);
  const std::vector<Mark>& marks() const { return marks_; }
  bool is_faded(std::size_t box) const { return near_ && !near_->boxes[box]; }
  Strength edge_strength(std::size_t edge) const;
  Strength stash_edge_strength(std::size_t stash_edge) const;
  /// Of the boxes that are no frames, how many are not faded.
  std::size_t boxes_near() const;

  /// What is written on a box, cut to its width.
  const QString& title(std::size_t box) const;
  const QString& detail(std::size_t box) const;

 private:
  bool is_strong(std::uint32_t from, std::uint32_t to) const;

  std::shared_ptr<const GraphPicture> picture_;
  layout::Colouring colouring_ = layout::Colouring::lifetime;
  std::vector<std::optional<QColor>> colours_;  // by box, like all that follow
  std::vector<Mark> marks_;
  std::optional<layout::DrawingPart> near_;
  mutable std::vector<QString> titles_;  // null until they were needed
  mutable std::vector<QString> details_;
};

inline QRectF to_qt(const layout::Rect& r) { return {r.x, r.y, r.width, r.height}; }
inline QPointF to_qt(const layout::Point& p) { return {p.x, p.y}; }
inline layout::Point from_qt(QPointF p) { return {p.x(), p.y()}; }
inline layout::Rect from_qt(const QRectF& r) { return {r.x(), r.y(), r.width(), r.height()}; }

}  // namespace stashscope::ui
