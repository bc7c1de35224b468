#include "ui/graph/captions.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <cmath>

namespace stashscope::ui {

namespace {

constexpr double caption_margin = 8;
/// Distance between the positions that are tried for a caption, in pixels.
constexpr double caption_step = 8;
/// Each cubic part of a curve counts as this many straight lines.
constexpr int curve_parts = 12;
/// Maximum number of straight lines, so that a frame is painted quickly.
constexpr int most_lines = 4000;

/// Of the free positions for a caption, the position closest to the middle of the column. The
/// caption lies above the column, or at the upper edge of the visible area if there is no space
/// above the column. Empty if no position is free.
std::optional<QRectF> caption_place(const Occupied& occupied, const QRectF& column, QSizeF size) {
  const QRectF room = occupied.room().adjusted(caption_margin, caption_margin, -caption_margin, 0);
  const double left = std::max(room.left(), column.left() - size.width() - caption_margin);
  const double right = std::min(room.right(), column.right() + size.width() + caption_margin);
  const double y = std::max(room.top(), column.top() - 6 - size.height());
  const double middle = column.center().x() - size.width() / 2;
  for (double away = 0; away <= right - left; away += caption_step) {
    for (const double x : {middle - away, middle + away}) {
      const QRectF place(QPointF(x, y), size);
      const bool is_inside = x >= left && place.right() <= right;
      if (is_inside && occupied.is_free(place)) return place;
    }
  }
  return std::nullopt;
}

/// Adds the rectangles around the straight parts of curves until `most_lines` parts are added.
class LineAdder {
 public:
  LineAdder(Occupied& occupied, const Camera& camera)
      : occupied_(occupied), camera_(camera), seen_(from_qt(camera.to_picture(occupied.room()))) {}

  void add(const layout::Curve& curve, const layout::Rect& bounds) {
    if (lines_ >= most_lines || !bounds.intersects(seen_)) return;
    const std::vector<layout::Point> points = layout::flattened(curve, curve_parts);
    for (std::size_t i = 1; i < points.size(); ++i, ++lines_) {
      const QRectF part(camera_.to_screen(to_qt(points[i - 1])),
                        camera_.to_screen(to_qt(points[i])));
      occupied_.add(part.normalized().adjusted(-1, -1, 1, 1));
    }
  }

 private:
  Occupied& occupied_;
  const Camera& camera_;
  const layout::Rect seen_;
  int lines_ = 0;
};

}  // namespace

std::vector<Caption> place_captions(const layout::Drawing& drawing, const Camera& camera,
                                    Occupied occupied, const QFont& font) {
  const std::array<QString, 2> names = {QCoreApplication::translate("GraphPainter", "Forward ↓"),
                                        QCoreApplication::translate("GraphPainter", "Backward ↑")};
  const QFontMetricsF metrics(font);
  std::vector<Caption> captions;
  for (std::size_t side = 0; side < names.size(); ++side) {
    const QRectF column = camera.to_screen(to_qt(drawing.columns[side]));
    if (column.width() <= 0) continue;
    const QSizeF size(std::ceil(metrics.horizontalAdvance(names[side])) + 16, metrics.height() + 4);
    if (const auto place = caption_place(occupied, column, size)) {
      captions.push_back({names[side], *place});
      occupied.add(*place);
    }
  }
  return captions;
}

void add_boxes(Occupied& occupied, const GraphScene& scene, const Camera& camera) {
  const layout::Rect seen = from_qt(camera.to_picture(occupied.room()));
  const auto& boxes = scene.drawing().boxes;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (scene.is_drawn(i) && scene.is_leaf(i) && boxes[i].rect.intersects(seen)) {
      occupied.add(camera.to_screen(to_qt(boxes[i].rect)));
    }
  }
}

void add_lines(Occupied& occupied, const GraphScene& scene, const Camera& camera) {
  LineAdder adder(occupied, camera);
  for (const layout::StashBundle& bundle : scene.shown().bundles) {
    adder.add(bundle.curve, bundle.bounds);
  }
  const auto& edges = scene.drawing().edges;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (scene.shown().edges[i] != 0) adder.add(edges[i].curve, edges[i].bounds);
  }
}

}  // namespace stashscope::ui
