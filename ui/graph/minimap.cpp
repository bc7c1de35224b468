#include "ui/graph/minimap.h"

#include <QMouseEvent>
#include <QPainter>

#include "ui/graph/graph_painter.h"

namespace stashscope::ui {

namespace {

constexpr QSizeF largest_size(128, 148);
constexpr double margin = 6;
constexpr int distance_from_corner = 12;

}  // namespace

Minimap::Minimap(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("minimap"));
  setAccessibleName(tr("Overview of the graph"));
  hide();
}

void Minimap::set_scene(const GraphScene* scene) {
  scene_ = scene;
  if (scene_ != nullptr) {
    const QSizeF picture = to_qt(scene_->drawing().bounds).size();
    resize((picture.scaled(largest_size, Qt::KeepAspectRatio) + QSizeF(2 * margin, 2 * margin))
               .toSize());
    place_in(parentWidget()->size());
  }
  update();
}

void Minimap::set_camera(const Camera& camera, QSize view) {
  seen_ = camera.to_picture(QRectF(QPointF(), view));
  setVisible(scene_ != nullptr && !seen_.contains(to_qt(scene_->drawing().bounds)));
  update();
}

void Minimap::place_in(QSize view) {
  move(view.width() - width() - distance_from_corner,
       view.height() - height() - distance_from_corner);
}

Camera Minimap::own_camera() const {
  return fitted(to_qt(scene_->drawing().bounds), size(), margin);
}

void Minimap::paintEvent(QPaintEvent*) {
  if (scene_ == nullptr) return;
  const Theme theme = theme_of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(theme.line);
  QColor back = theme.surface;
  back.setAlpha(235);
  painter.setBrush(back);
  painter.drawRoundedRect(rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  const Camera camera = own_camera();
  for (std::size_t i = 0; i < scene_->marks.size(); ++i) {
    const layout::DrawnBox& box = scene_->drawing().boxes[i];
    if (box.is_open()) continue;
    const QColor heat = box.heat >= 0 ? lifetime_colour(box.heat) : theme.line;
    painter.fillRect(camera.to_screen(to_qt(box.rect)),
                     scene_->marks[i] == Mark::none ? heat : theme.accent);
  }
  painter.setPen(QPen(theme.accent, 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(camera.to_screen(seen_).intersected(rect().toRectF().adjusted(1, 1, -1, -1)));
}

void Minimap::mousePressEvent(QMouseEvent* event) {
  if (scene_ != nullptr) Q_EMIT point_wanted(own_camera().to_picture(event->position()));
}

void Minimap::mouseMoveEvent(QMouseEvent* event) { mousePressEvent(event); }

}  // namespace stashscope::ui
