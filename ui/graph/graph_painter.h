#pragma once

#include "ui/graph/curve_painter.h"
#include "ui/graph/label_placer.h"

namespace stashscope::ui {

/// Paints a scene through a camera. Small boxes become plain patches of their colour.
class GraphPainter {
 public:
  /// @param hovered box under the pointer, if any
  GraphPainter(const GraphScene& scene, const Camera& camera, const Theme& theme,
               std::optional<std::uint32_t> hovered, Detail detail = Detail::screen);

  /// @param texts from `place_texts` for the same scene, camera and screen
  void paint(QPainter& painter, const QRectF& screen, const GraphTexts& texts) const;

 private:
  void paint_frames(QPainter& painter) const;
  void paint_frame(QPainter& painter, std::size_t index, bool is_round) const;
  void paint_boxes(QPainter& painter, const GraphTexts& texts) const;
  void paint_box(QPainter& painter, std::size_t index, const QRectF& rect) const;
  void paint_body(QPainter& painter, std::size_t index, const QRectF& rect) const;
  void paint_strip(QPainter& painter, std::size_t index, const QRectF& rect) const;
  void paint_inside_of_blocks(QPainter& painter) const;
  void paint_patch(QPainter& painter, std::size_t index, const QRectF& rect) const;
  void paint_labels(QPainter& painter, const std::vector<GraphLabel>& labels) const;
  void paint_background(QPainter& painter, const GraphLabel& label) const;
  void paint_captions(QPainter& painter, const std::vector<Caption>& captions) const;

  QPen border_of(std::size_t index) const;
  QColor frame_colour(std::size_t index) const;

  const GraphScene& scene_;
  const layout::Drawing& drawing_;
  const Camera& camera_;
  const Theme& theme_;
  const std::optional<std::uint32_t> hovered_;
  const Detail detail_;
  mutable layout::Rect seen_;
};

}  // namespace stashscope::ui
