#include "ui/graph/minimap.h"

#include <QMouseEvent>
#include <QPainter>
#include <array>

#include "ui/charts/data_colours.h"
#include "ui/graph/captions.h"
#include "ui/theme/text_size.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

namespace {

/// Largest size of the map, at the normal text size.
constexpr QSizeF largest_size(128, 148);
constexpr double map_margin = 6;
/// Minimum side of the map, because a thinner map can hardly be clicked.
constexpr double thinnest = 12;
constexpr double smallest_zoom = 1e-5;
constexpr double distance_from_edge = 12;
/// Sizes to try, relative to the largest size.
constexpr std::array scales = {1.0, 0.75, 0.55};

}  // namespace

Minimap::Minimap(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("minimap"));
  setAccessibleName(tr("Overview of the graph"));
  hide();
}

void Minimap::set_scene(const GraphScene* scene) {
  scene_ = scene;
  has_size_ = false;
  if (scene == nullptr) hide();
  scene_changed();
}

void Minimap::scene_changed() {
  boxes_ = {};
  update();
}

void Minimap::set_camera(const Camera& camera, QSize view) {
  if (camera.zoom != view_camera_.zoom || view != view_) has_size_ = false;
  view_camera_ = camera;
  view_ = view;
  seen_ = camera.to_picture(QRectF(QPointF(), view));
  update_place();
}

void Minimap::update_place() {
  if (scene_ == nullptr) return;
  const bool is_needed = !seen_.contains(to_qt(scene_->drawing().bounds));
  if (is_needed && pressed_) return update();
  setVisible(find_place() && is_needed);
  update();
}

QSize Minimap::size_in(QSize view, double scale) const {
  const QSizeF picture = to_qt(scene_->drawing().bounds).size();
  const QSizeF most =
      scale *
      (largest_size * text_scale()).boundedTo(QSizeF(view.width() / 5.0, view.height() / 3.0));
  const QSizeF map = picture.scaled(most, Qt::KeepAspectRatio).expandedTo({thinnest, thinnest});
  return (map + QSizeF(2 * map_margin, 2 * map_margin)).toSize();
}

QRectF Minimap::in_corner(Qt::Corner corner) const {
  const bool is_right = corner == Qt::TopRightCorner || corner == Qt::BottomRightCorner;
  const bool is_low = corner == Qt::BottomLeftCorner || corner == Qt::BottomRightCorner;
  const double d = distance_from_edge;
  return QRectF(QPointF(is_right ? view_.width() - d - width() : d,
                        is_low ? view_.height() - d - height() : d),
                size());
}

/// Moves the map into a free corner: the corner where it was, or else another one.
bool Minimap::take_corner(const Occupied& occupied) {
  const double gap = distance_from_edge / 2;
  for (const Qt::Corner corner : {corner_, Qt::BottomRightCorner, Qt::BottomLeftCorner,
                                  Qt::TopRightCorner, Qt::TopLeftCorner}) {
    const QRectF place = in_corner(corner);
    if (!occupied.is_free(place.adjusted(-gap, -gap, gap, gap))) continue;
    corner_ = corner;
    move(place.topLeft().toPoint());
    return true;
  }
  return false;
}

/// Tries the sizes from the largest to the smallest: first in the corners of the view, then at its
/// edges. Returns false if there is no free place.
bool Minimap::take_place(const Occupied& occupied) {
  for (const double scale : scales) {
    resize(size_in(view_, scale));
    if (take_corner(occupied)) return true;
  }
  for (const double scale : scales) {
    resize(size_in(view_, scale));
    const auto place = free_place_at_edges(occupied, size(), distance_from_edge);
    if (!place) continue;
    move(place->topLeft().toPoint());
    return true;
  }
  return false;
}

/// Keeps the current place while it covers no box, so that the map does not jump while the graph
/// moves. Otherwise takes a place that covers neither boxes nor lines, or else one that covers no
/// box. Returns false if there is none.
bool Minimap::find_place() {
  Occupied occupied(QRectF(QPointF(), view_));
  add_boxes(occupied, *scene_, view_camera_);
  if (has_size_ && occupied.is_free(QRectF(geometry()))) return true;
  has_size_ = true;
  Occupied with_lines = occupied;
  add_lines(with_lines, *scene_, view_camera_);
  return take_place(with_lines) || take_place(occupied);
}

/// The camera of the map. It shows the whole picture, if necessary at a smaller zoom than the graph
/// view allows.
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
    const QColor own = seen_colour(scene_->colour(i).value_or(theme.line), theme);
    painter.fillRect(camera.to_screen(to_qt(box.rect)),
                     scene_->marks()[i] == Mark::none ? own : theme.accent);
  }
}

void Minimap::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) scene_changed();
  QWidget::changeEvent(event);
}

void Minimap::resizeEvent(QResizeEvent*) { scene_changed(); }

void Minimap::ask_for(QPointF place) {
  if (scene_ != nullptr) Q_EMIT point_wanted(own_camera().to_picture(place));
}

void Minimap::mousePressEvent(QMouseEvent* event) {
  pressed_ = true;
  ask_for(event->position());
}

void Minimap::mouseMoveEvent(QMouseEvent* event) { ask_for(event->position()); }

void Minimap::mouseReleaseEvent(QMouseEvent*) {
  pressed_ = false;
  update_place();
}

}  // namespace stashscope::ui
