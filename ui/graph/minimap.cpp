#include "ui/graph/minimap.h"

#include <QMouseEvent>
#include <QPainter>

#include "ui/graph/graph_painter.h"
#include "ui/theme/text_size.h"

namespace stashscope::ui {

namespace {

/// Largest size of the map, at the normal text size.
constexpr QSizeF largest_size(128, 148);
constexpr double map_margin = 6;
/// Minimum side of the map; a thinner one can hardly be clicked.
constexpr double thinnest = 12;
constexpr double smallest_zoom = 1e-5;
constexpr int distance_from_corner = 12;
/// Opacity while the map covers boxes.
constexpr double faded = 0.35;

/// Number of pixels that boxes cover within a place.
double covered(const std::vector<QRectF>& boxes, const QRectF& place) {
  double sum = 0;
  for (const QRectF& box : boxes) {
    const QRectF common = box.intersected(place);
    sum += common.width() * common.height();
  }
  return sum;
}

}  // namespace

Minimap::Minimap(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("minimap"));
  setAccessibleName(tr("Overview of the graph"));
  hide();
}

void Minimap::set_scene(const GraphScene* scene) {
  scene_ = scene;
  placed_ = false;
  scene_changed();
}

void Minimap::scene_changed() {
  boxes_ = {};
  update();
}

void Minimap::set_camera(const Camera& camera, QSize view) {
  const bool is_other_zoom = camera.zoom != view_camera_.zoom;
  view_camera_ = camera;
  if (is_other_zoom || !placed_) place_in(view);
  seen_ = camera.to_picture(QRectF(QPointF(), view));
  setVisible(scene_ != nullptr && !seen_.contains(to_qt(scene_->drawing().bounds)));
  covers_ = isVisible() && !boxes_in(QRectF(geometry())).empty();
  update();
}

void Minimap::fit_into(QSize view) {
  const QSizeF picture = to_qt(scene_->drawing().bounds).size();
  const QSizeF most =
      (largest_size * text_scale()).boundedTo(QSizeF(view.width() / 5.0, view.height() / 3.0));
  const QSizeF map = picture.scaled(most, Qt::KeepAspectRatio).expandedTo({thinnest, thinnest});
  resize((map + QSizeF(2 * map_margin, 2 * map_margin)).toSize());
}

void Minimap::place_in(QSize view) {
  if (scene_ == nullptr) return;
  fit_into(view);
  const int right = view.width() - width() - distance_from_corner;
  const int y = view.height() - height() - distance_from_corner;
  const std::vector<QRectF> boxes =
      boxes_in(QRectF(distance_from_corner, y, right + width(), height()));
  int best = right;
  double least = covered(boxes, QRectF(QPointF(right, y), size()));
  for (int x = right; x >= distance_from_corner && least > 0; x -= distance_from_corner) {
    const double area = covered(boxes, QRectF(QPointF(x, y), size()));
    if (area >= least) continue;
    least = area;
    best = x;
  }
  move(best, y);
  placed_ = true;
}

std::vector<QRectF> Minimap::boxes_in(const QRectF& place) const {
  const layout::Rect seen = from_qt(view_camera_.to_picture(place));
  std::vector<QRectF> boxes;
  for (const layout::DrawnBox& box : scene_->drawing().boxes) {
    if (box.is_open() || !box.rect.intersects(seen)) continue;
    boxes.push_back(view_camera_.to_screen(to_qt(box.rect)));
  }
  return boxes;
}

/// The camera of the map. It shows the whole picture, if necessary at a smaller zoom than a view
/// allows.
Camera Minimap::own_camera() const {
  const QRectF picture = to_qt(scene_->drawing().bounds);
  const double wide = (width() - 2 * map_margin) / std::max(1.0, picture.width());
  const double high = (height() - 2 * map_margin) / std::max(1.0, picture.height());
  const double zoom = std::clamp(std::min(wide, high), smallest_zoom, 1.0);
  return anchored({zoom, {}}, picture.center(), rect().toRectF().center());
}

void Minimap::paintEvent(QPaintEvent*) {
  if (scene_ == nullptr) return;
  const Theme theme = theme_of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (!underMouse() && covers_) painter.setOpacity(faded);
  painter.setPen(theme.line);
  QColor back = theme.surface;
  back.setAlpha(235);
  painter.setBrush(back);
  painter.drawRoundedRect(rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  if (boxes_.isNull() || boxes_.devicePixelRatio() != devicePixelRatioF()) draw_boxes();
  painter.drawPixmap(0, 0, boxes_);
  const Camera camera = own_camera();
  painter.setPen(QPen(theme.accent, 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(camera.to_screen(seen_).intersected(rect().toRectF().adjusted(1, 1, -1, -1)));
}

/// Draws the boxes into a cached image, because they do not change while the view moves.
void Minimap::draw_boxes() {
  boxes_ = QPixmap(size() * devicePixelRatioF());
  boxes_.setDevicePixelRatio(devicePixelRatioF());
  boxes_.fill(Qt::transparent);
  const Theme theme = theme_of(palette());
  const Camera camera = own_camera();
  QPainter painter(&boxes_);
  painter.setRenderHint(QPainter::Antialiasing);
  for (std::size_t i = 0; i < scene_->marks().size(); ++i) {
    const layout::DrawnBox& box = scene_->drawing().boxes[i];
    if (box.is_open()) continue;
    painter.fillRect(camera.to_screen(to_qt(box.rect)), scene_->marks()[i] == Mark::none
                                                            ? scene_->colour(i).value_or(theme.line)
                                                            : theme.accent);
  }
}

void Minimap::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) scene_changed();
  QWidget::changeEvent(event);
}

void Minimap::resizeEvent(QResizeEvent*) { scene_changed(); }

void Minimap::mousePressEvent(QMouseEvent* event) {
  if (scene_ != nullptr) Q_EMIT point_wanted(own_camera().to_picture(event->position()));
}

void Minimap::enterEvent(QEnterEvent*) { update(); }

void Minimap::leaveEvent(QEvent*) { update(); }

void Minimap::mouseMoveEvent(QMouseEvent* event) { mousePressEvent(event); }

}  // namespace stashscope::ui
