#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <algorithm>

namespace stashscope::ui {

/// Where a picture lies on the screen: screen = picture * zoom + offset.
struct Camera {
  double zoom = 1;
  QPointF offset;

  QPointF to_screen(QPointF picture) const { return picture * zoom + offset; }
  QPointF to_picture(QPointF screen) const { return (screen - offset) / zoom; }
  QRectF to_screen(const QRectF& picture) const {
    return {to_screen(picture.topLeft()), picture.size() * zoom};
  }
  QRectF to_picture(const QRectF& screen) const {
    return {to_picture(screen.topLeft()), screen.size() / zoom};
  }
};

constexpr double least_zoom = 0.01;
constexpr double most_zoom = 4;

inline Camera moved(Camera camera, QPointF by) {
  camera.offset += by;
  return camera;
}

/// Zooms so that the point of the picture under the screen position `anchor` stays in place.
inline Camera zoomed(const Camera& camera, double factor, QPointF anchor) {
  const double zoom = std::clamp(camera.zoom * factor, least_zoom, most_zoom);
  return {zoom, anchor - camera.to_picture(anchor) * zoom};
}

/// Shows all of `picture` in the middle of the screen, at a zoom of at most 1.
inline Camera fitted(const QRectF& picture, QSizeF screen, double margin) {
  const double wide = (screen.width() - 2 * margin) / std::max(1.0, picture.width());
  const double high = (screen.height() - 2 * margin) / std::max(1.0, picture.height());
  const double zoom = std::clamp(std::min(wide, high), least_zoom, 1.0);
  const QPointF middle(screen.width() / 2, screen.height() / 2);
  return {zoom, middle - picture.center() * zoom};
}

/// Moves the picture so that its `point` lies at `screen`.
inline Camera anchored(Camera camera, QPointF point, QPointF screen) {
  camera.offset = screen - point * camera.zoom;
  return camera;
}

}  // namespace stashscope::ui
