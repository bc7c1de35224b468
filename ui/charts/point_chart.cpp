#include "ui/charts/point_chart.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "ui/theme/focus_frame.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

PointChart::PointChart(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  add_keys();
  enable_keys(*this, false);
}

void PointChart::add_keys() {
  setContextMenuPolicy(Qt::ActionsContextMenu);
  add_key_action(*this, tr("Previous point"), {Qt::Key_Left, Qt::Key_Up}, [this] { walk(-1); });
  add_key_action(*this, tr("Next point"), {Qt::Key_Right, Qt::Key_Down}, [this] { walk(1); });
  add_key_action(*this, tr("First point"), {Qt::Key_Home}, [this] { move_to(0); });
  add_key_action(*this, tr("Last point"), {Qt::Key_End}, [this] { move_to(point_count() - 1); });
  choose_ = add_key_action(*this, tr("Choose the point"), {Qt::Key_Return, Qt::Key_Enter},
                           [this] { choose(*current()); });
}

/// Moves the selection by a number of points, at most to the first or last point. If no point is
/// selected, selects `first_stop`.
void PointChart::walk(std::ptrdiff_t by) {
  if (!selected_) return move_to(first_stop());
  const auto last = static_cast<std::ptrdiff_t>(point_count()) - 1;
  const auto to = static_cast<std::ptrdiff_t>(*selected_) + by;
  move_to(static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(to, 0, last)));
}

void PointChart::move_to(std::optional<std::size_t> point) {
  selected_ = point;
  hovered_.reset();
  tell();
}

void PointChart::make_room_for(std::size_t point) {
  for (auto* const each : {&hovered_, &selected_}) {
    if (*each && **each >= point) ++**each;
  }
  tell();
}

void PointChart::set_hovered(std::optional<std::size_t> point) {
  hovered_ = point;
  tell();
}

void PointChart::tell() {
  enable_keys(*this, point_count() > 0);
  choose_->setEnabled(current().has_value());
  setAccessibleDescription(readout());
  setCursor(hovered_ ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
}

void PointChart::paint_invitation(QPainter& painter, const QRectF& room, const QString& text,
                                  const Theme& theme) const {
  const int flags = Qt::AlignCenter | Qt::TextWordWrap;
  // Without a background, lines of the grid would strike the text through.
  painter.fillRect(painter.boundingRect(room, flags, text).adjusted(-4, -2, 4, 2), theme.canvas);
  painter.setPen(theme.muted);
  painter.drawText(room, flags, text);
}

Picture PointChart::picture(const QString& title) {
  if (point_count() == 0) return {};
  set_hovered(std::nullopt);
  return recorded(*this, title, [this](QPainter& painter) { paint(painter); });
}

void PointChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint(painter);
  paint_focus_frame(painter, *this);
}

void PointChart::mouseMoveEvent(QMouseEvent* event) { set_hovered(point_at(event->position())); }

void PointChart::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const auto point = point_at(event->position());
  if (!point) return;
  move_to(point);
  choose(*point);
}

void PointChart::leaveEvent(QEvent*) { set_hovered(std::nullopt); }

}  // namespace stashscope::ui
