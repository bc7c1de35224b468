#pragma once

#include <QPainter>

#include "ui/graph/camera.h"
#include "ui/graph/graph_scene.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// Paints a scene through a camera, with as much detail as can be seen: texts vanish when they
/// cannot be read, small boxes become plain patches of their lifetime's colour, curves lose their
/// smoothing when there are many.
class GraphPainter {
 public:
  /// @param hovered box under the pointer; nothing: none
  GraphPainter(const GraphScene& scene, const Camera& camera, const Theme& theme,
               std::optional<std::uint32_t> hovered);

  void paint(QPainter& painter, const QRectF& screen) const;

 private:
  void paint_frames(QPainter& painter) const;
  void paint_bridges(QPainter& painter, bool strong) const;
  void paint_edges(QPainter& painter, bool strong) const;
  void paint_arrow(QPainter& painter, const layout::Curve& curve) const;
  void paint_boxes(QPainter& painter) const;
  void paint_box(QPainter& painter, std::size_t index) const;
  void paint_patch(QPainter& painter, const layout::DrawnBox& box, const QRectF& rect) const;
  void paint_texts(QPainter& painter, std::size_t index, const QRectF& rect) const;
  void paint_small_title(QPainter& painter, std::size_t index, const QRectF& rect) const;
  void paint_frame_title(QPainter& painter, std::size_t index, const QRectF& rect) const;
  void paint_captions(QPainter& painter, const QRectF& screen) const;

  bool is_seen(const layout::Rect& bounds) const;
  bool touches_selection(std::uint32_t from, std::uint32_t to) const;
  QPen border_of(std::size_t index) const;
  QColor mixed(const QColor& colour, double share) const;

  const GraphScene& scene_;
  const layout::Drawing& drawing_;
  const Camera& camera_;
  const Theme& theme_;
  std::optional<std::uint32_t> hovered_;
  mutable layout::Rect seen_;
};

/// The colour of a share of the step, from the one map for data.
QColor lifetime_colour(double share);

}  // namespace stashscope::ui
