#include "ui/graph/minimap.h"

#include <QMouseEvent>
#include <QPainter>

#include "ui/graph/graph_painter.h"

namespace stashscope::ui {

namespace {

constexpr QSizeF largest_size(128, 148);
constexpr double margin = 6;
constexpr int distance_from_corner = 12;
/// Opacity while there are boxes below.
constexpr double faded = 0.35;

}  // namespace

Minimap::Minimap(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("minimap"));
  setAccessibleName(tr("Overview of the graph"));
  hide();
}

void Minimap::set_scene(const GraphScene* scene) {
  scene_ = scene;
  placed_ = false;
  update();
}

void Minimap::set_camera(const Camera& camera, QSize view) {
  const bool is_other_zoom = camera.zoom != view_camera_.zoom;
  view_camera_ = camera;
  if (is_other_zoom || !placed_) place_in(view);
  seen_ = camera.to_picture(QRectF(QPointF(), view));
  setVisible(scene_ != nullptr && !seen_.contains(to_qt(scene_->drawing().bounds)));
  update();
}

void Minimap::fit_into(QSize view) {
  const QSizeF picture = to_qt(scene_->drawing().bounds).size();
  const QSizeF most = largest_size.boundedTo(QSizeF(view.width() / 5.0, view.height() / 3.0));
  resize((picture.scaled(most, Qt::KeepAspectRatio) + QSizeF(2 * margin, 2 * margin)).toSize());
}

void Minimap::place_in(QSize view) {
  if (scene_ == nullptr) return;
  fit_into(view);
  const int right = view.width() - width() - distance_from_corner;
  const int y = view.height() - height() - distance_from_corner;
  int best = right;
  double least = covered(QRectF(QPointF(right, y), size()));
  for (int x = right; x >= distance_from_corner && least > 0; x -= distance_from_corner) {
    const double area = covered(QRectF(QPointF(x, y), size()));
    if (area >= least) continue;
    least = area;
    best = x;
  }
  move(best, y);
  placed_ = true;
}

double Minimap::covered(const QRectF& place) const {
  double sum = 0;
  for (const layout::DrawnBox& box : scene_->drawing().boxes) {
    if (box.is_open()) continue;
    const QRectF common = view_camera_.to_screen(to_qt(box.rect)).intersected(place);
    sum += common.width() * common.height();
  }
  return sum;
}

Camera Minimap::own_camera() const {
  return fitted(to_qt(scene_->drawing().bounds), size(), margin);
}

void Minimap::paintEvent(QPaintEvent*) {
  if (scene_ == nullptr) return;
  const Theme theme = theme_of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (!underMouse() && covered(geometry()) > 0) painter.setOpacity(faded);
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

void Minimap::enterEvent(QEnterEvent*) { update(); }

void Minimap::leaveEvent(QEvent*) { update(); }

void Minimap::mouseMoveEvent(QMouseEvent* event) { mousePressEvent(event); }

}  // namespace stashscope::ui
