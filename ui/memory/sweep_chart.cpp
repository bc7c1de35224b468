#include "ui/memory/sweep_chart.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/memory/byte_axis.h"
#include "ui/models/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr double left_margin = 72;
constexpr double right_margin = 24;
constexpr double top_margin = 30;
constexpr double bottom_margin = 24;
/// Distances between grid lines, about.
constexpr double grid_pixels = 44;
constexpr double tick_pixels = 72;
constexpr double dot = 3;
constexpr double current_dot = 4.5;

QPen baseline_pen(const Theme& theme) { return {theme.baseline, 1, Qt::DashLine}; }
QPen current_pen(const Theme& theme) { return {theme.accent, 1.6}; }
QPen memory_pen(const Theme& theme) { return {theme.warning, 1, Qt::DashLine}; }

}  // namespace

SweepChart::SweepChart(QWidget* parent) : QWidget(parent) {
  setObjectName(u"sweep_chart"_s);
  setAccessibleName(tr("Peak against the sizes of a dimension"));
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(240, 72);
}

void SweepChart::start(const SweepFrame& frame, const QString& invitation) {
  frame_ = frame;
  invitation_ = invitation;
  points_.clear();
  current_.reset();
  update();
}

void SweepChart::add(const SweepPoint& point) {
  const auto place = std::ranges::lower_bound(points_, point.value, {}, &SweepPoint::value);
  points_.insert(place, point);
  update();
}

void SweepChart::set_value(std::int64_t value) {
  frame_.value = value;
  update();
}

QRectF SweepChart::plot() const {
  return rect().toRectF().adjusted(left_margin, top_margin, -right_margin, -bottom_margin);
}

SweepMap SweepChart::map() const {
  const QRectF area = plot();
  return {frame_.from,  frame_.to,    top_of(points_, frame_.memory_bytes),
          area.left(),  area.right(), area.top(),
          area.bottom()};
}

void SweepChart::paintEvent(QPaintEvent*) {
  const Theme theme = theme_of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.canvas);
  painter.setRenderHint(QPainter::Antialiasing);
  if (points_.empty()) {
    painter.setPen(theme.muted);
    painter.drawText(rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap,
                     invitation_);
    return;
  }
  const SweepMap at = map();
  paint_grid(painter, at, theme);
  paint_refused(painter, at, theme);
  paint_memory(painter, at, theme);
  paint_curve(painter, at, &SweepPoint::baseline_bytes, baseline_pen(theme));
  paint_curve(painter, at, &SweepPoint::current_bytes, current_pen(theme));
  paint_value(painter, at, theme);
  paint_points(painter, at, theme);
  paint_readout(painter, theme, paint_key(painter, theme));
}

void SweepChart::paint_grid(QPainter& painter, const SweepMap& map, const Theme& theme) const {
  QColor faint = theme.line;
  faint.setAlphaF(0.7f);
  const int rows = std::max(2, static_cast<int>((map.lower - map.upper) / grid_pixels));
  for (const ByteTick& tick : byte_ticks(map.top, rows)) {
    const double y = std::round(map.y_of(tick.bytes)) + 0.5;
    painter.setPen(tick.bytes == 0 ? theme.muted : faint);
    painter.drawLine(QPointF(map.left, y), QPointF(map.right, y));
    painter.setPen(theme.muted);
    painter.drawText(QRectF(0, y - 9, left_margin - 8, 18), Qt::AlignRight | Qt::AlignVCenter,
                     shown(tick.text));
  }
  const int columns = std::max(2, static_cast<int>((map.right - map.left) / tick_pixels));
  for (const std::int64_t tick : value_ticks(map.from, map.to, columns)) {
    const double x = std::round(map.x_of(tick)) + 0.5;
    painter.drawLine(QPointF(x, map.lower), QPointF(x, map.lower + 4));
    painter.drawText(QRectF(x - 40, map.lower + 4, 80, bottom_margin - 4), Qt::AlignCenter,
                     QString::number(tick));
  }
}

/// Sizes that the model does not take, as far as the tried ones tell.
void SweepChart::paint_refused(QPainter& painter, const SweepMap& map, const Theme& theme) const {
  QColor shade = theme.muted;
  shade.setAlphaF(0.35f);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (points_[i].fault.empty()) continue;
    const double x = map.x_of(points_[i].value);
    const double before = i == 0 ? x : (x + map.x_of(points_[i - 1].value)) / 2;
    const double after = i + 1 == points_.size() ? x : (x + map.x_of(points_[i + 1].value)) / 2;
    painter.fillRect(
        QRectF(before, map.upper, std::max(2.0, after - before), map.lower - map.upper),
        QBrush(shade, Qt::BDiagPattern));
  }
}

void SweepChart::paint_memory(QPainter& painter, const SweepMap& map, const Theme& theme) const {
  if (frame_.memory_bytes <= 0 || frame_.memory_bytes > map.top) return;
  const double y = std::round(map.y_of(frame_.memory_bytes)) + 0.5;
  painter.setPen(memory_pen(theme));
  painter.drawLine(QPointF(map.left, y), QPointF(map.right, y));
}

void SweepChart::paint_curve(QPainter& painter, const SweepMap& map, PeakOf peak,
                             const QPen& pen) const {
  painter.setPen(pen);
  QPolygonF line;
  for (const SweepPoint& each : points_) {
    if (each.fault.empty()) {
      line << QPointF(map.x_of(each.value), map.y_of(each.*peak));
      continue;
    }
    painter.drawPolyline(line);
    line.clear();
  }
  painter.drawPolyline(line);
}

/// Those that do not fit into the memory in the colour of its line.
void SweepChart::paint_points(QPainter& painter, const SweepMap& map, const Theme& theme) const {
  for (const SweepPoint& each : points_) {
    if (!each.fault.empty()) continue;
    const bool fits = frame_.memory_bytes <= 0 || each.current_bytes <= frame_.memory_bytes;
    const double radius = current_ == each.value ? current_dot : dot;
    painter.setPen(QPen(theme.canvas, 1));
    painter.setBrush(fits ? theme.accent : theme.warning);
    painter.drawEllipse(QPointF(map.x_of(each.value), map.y_of(each.current_bytes)), radius,
                        radius);
  }
}

void SweepChart::paint_value(QPainter& painter, const SweepMap& map, const Theme& theme) const {
  if (current_) {
    painter.setPen(QPen(theme.muted, 1));
    painter.drawLine(QPointF(map.x_of(*current_), map.upper),
                     QPointF(map.x_of(*current_), map.lower));
  }
  if (frame_.value < map.from || frame_.value > map.to) return;
  const double x = map.x_of(frame_.value);
  painter.setPen(QPen(theme.text, 1.2));
  painter.drawLine(QPointF(x, map.upper), QPointF(x, map.lower));
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.text);
  painter.drawPolygon(QPolygonF({{x - 5, map.upper - 6}, {x + 5, map.upper - 6}, {x, map.upper}}));
}

double SweepChart::paint_key(QPainter& painter, const Theme& theme) const {
  double x = left_margin;
  const auto entry = [&](const QPen& pen, const QString& text) {
    painter.setPen(pen);
    painter.drawLine(QPointF(x, 12), QPointF(x + 22, 12));
    painter.setPen(theme.muted);
    const double width = painter.fontMetrics().horizontalAdvance(text);
    painter.drawText(QRectF(x + 28, 3, width + 2, 18), Qt::AlignVCenter, text);
    x += 28 + width + 20;
  };
  entry(baseline_pen(theme), tr("without plans"));
  entry(current_pen(theme), tr("now"));
  if (frame_.memory_bytes > 0) {
    const bool is_far = frame_.memory_bytes > top_of(points_, frame_.memory_bytes);
    const QString text = is_far ? tr("%1 of %2, far above") : tr("%1 of %2");
    entry(memory_pen(theme), text.arg(bytes_text(frame_.memory_bytes), frame_.memory_of));
  }
  return x;
}

QString SweepChart::readout() const {
  if (!current_) return {};
  const auto point = std::ranges::find(points_, *current_, &SweepPoint::value);
  if (point == points_.end()) return {};
  if (!point->fault.empty()) return tr("%1: %2").arg(point->value).arg(shown(point->fault));
  return tr("%1 = %2   %3 → %4 (%5)")
      .arg(frame_.dimension)
      .arg(point->value)
      .arg(bytes_text(point->baseline_bytes), bytes_text(point->current_bytes),
           change_text(point->baseline_bytes, point->current_bytes));
}

void SweepChart::paint_readout(QPainter& painter, const Theme& theme, double left) const {
  const QRectF line(left, 3, plot().right() - left, 18);
  painter.setPen(theme.text);
  painter.drawText(
      line, Qt::AlignRight | Qt::AlignVCenter,
      painter.fontMetrics().elidedText(readout(), Qt::ElideMiddle, static_cast<int>(line.width())));
}

void SweepChart::move_to(std::optional<std::size_t> point) {
  current_ = point ? std::optional(points_[*point].value) : std::nullopt;
  setToolTip(readout());
  update();
}

void SweepChart::choose_current() {
  if (current_) Q_EMIT value_chosen(*current_);
}

void SweepChart::mouseMoveEvent(QMouseEvent* event) {
  move_to(nearest_point(map(), points_, event->position().x()));
}

void SweepChart::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  move_to(nearest_point(map(), points_, event->position().x()));
  choose_current();
}

void SweepChart::walk(std::ptrdiff_t by) {
  if (points_.empty()) return;
  const std::size_t at =
      *nearest_point(map(), points_, map().x_of(current_.value_or(frame_.value)));
  // The first key shows where the keyboard is.
  const std::ptrdiff_t to = static_cast<std::ptrdiff_t>(at) + (current_ ? by : 0);
  move_to(static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(to, 0, std::ssize(points_) - 1)));
}

void SweepChart::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return walk(-1);
    case Qt::Key_Right:
      return walk(1);
    case Qt::Key_Home:
      return walk(-std::ssize(points_));
    case Qt::Key_End:
      return walk(std::ssize(points_));
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return choose_current();
    default:
      QWidget::keyPressEvent(event);
  }
}

void SweepChart::leaveEvent(QEvent*) { move_to(std::nullopt); }

}  // namespace stashscope::ui
