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

/// For texts beside the picture, which scale with the text size and not with the zoom.
QFont caption_font(double pixels);

/// Whether a box holds none, some or all of the marked nodes.
enum class Mark : unsigned char {
  none,
  part,      ///< holds some of the marked nodes, but not all
  selected,  ///< holds all marked nodes
};

/// How strongly a line between two boxes is drawn.
enum class Strength : unsigned char { faded, normal, strong };

/// A picture prepared for painting. The texts of a box are made when it is first painted, so that a
/// scene of thousands of boxes is made quickly.
class GraphScene {
 public:
  explicit GraphScene(std::shared_ptr<const GraphPicture> shown);

  const GraphPicture& picture() const { return *picture_; }
  const std::shared_ptr<const GraphPicture>& shared_picture() const { return picture_; }
  const layout::Drawing& drawing() const { return picture_->drawing; }

  void colour_by(layout::Colouring colouring);
  layout::Colouring colouring() const { return colouring_; }
  /// The colour of a box, if it has one.
  const std::optional<QColor>& colour(std::size_t box) const { return colours_[box]; }

  /// Marks the boxes that show the selection.
  /// @param hops boxes more than `hops` tensors away from the selection are faded; empty: no box is
  /// faded
  void mark(const Selection& selection, std::optional<int> hops = std::nullopt);
  const std::vector<Mark>& marks() const { return marks_; }
  bool is_faded(std::size_t box) const { return near_ && !near_->boxes[box]; }
  Strength edge_strength(std::size_t edge) const;
  Strength stash_edge_strength(std::size_t stash_edge) const;
  /// Number of boxes that are neither frames nor faded.
  std::size_t boxes_near() const;

  /// The texts on a box, elided to the width of the box.
  const QString& title(std::size_t box) const;
  const QString& detail(std::size_t box) const;

 private:
  bool is_strong(std::uint32_t from, std::uint32_t to) const;

  std::shared_ptr<const GraphPicture> picture_;
  layout::Colouring colouring_ = layout::Colouring::lifetime;
  std::vector<std::optional<QColor>> colours_;  // by box, like marks, titles and details
  std::vector<Mark> marks_;
  std::optional<layout::DrawingPart> near_;
  mutable std::vector<QString> titles_;  // null until first painted
  mutable std::vector<QString> details_;
};

inline QRectF to_qt(const layout::Rect& r) { return {r.x, r.y, r.width, r.height}; }
inline QPointF to_qt(const layout::Point& p) { return {p.x, p.y}; }
inline layout::Point from_qt(QPointF p) { return {p.x(), p.y()}; }
inline layout::Rect from_qt(const QRectF& r) { return {r.x(), r.y(), r.width(), r.height()}; }

}  // namespace stashscope::ui
