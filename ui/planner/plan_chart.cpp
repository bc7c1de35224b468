#include "ui/planner/plan_chart.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/texts.h"
#include "ui/planner/answer_text.h"

namespace stashscope::ui {

namespace {

constexpr double left_margin = 64;
constexpr double right_margin = 20;
constexpr double top_margin = 26;
constexpr double bottom_margin = 26;
constexpr double title_left = 8;
constexpr double row = 18;           // pixels that a line of text takes
constexpr double point_radius = 2;   // pixels
constexpr double mark_radius = 5;    // pixels
constexpr double click_radius = 14;  // pixels
constexpr double time_grid = 40;     // pixels between grid lines, about
constexpr double peak_grid = 80;

QString title() { return PlanChart::tr("extra time by peak"); }

double width_of_title(const QPainter& painter) {
  return title_left + painter.fontMetrics().horizontalAdvance(title()) + 24;
}

void paint_dot(QPainter& painter, QPointF at, double radius, const QColor& fill,
               const QColor& edge) {
  painter.setPen(QPen(edge, 1.5));
  painter.setBrush(fill);
  painter.drawEllipse(at, radius, radius);
}

}  // namespace

PlanChart::PlanChart(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("plan_chart"));
  setAccessibleName(tr("Peak against extra time"));
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(200, 150);
}

void PlanChart::set_points(std::vector<ChartPoint> points) {
  if (points == points_) return;
  // The keys stay at the plan they went to, or near its peak.
  if (selected_) {
    const std::int64_t peak = points_[*selected_].peak_bytes;
    const auto above = std::ranges::lower_bound(points, peak, {}, &ChartPoint::peak_bytes);
    const auto last = std::max<std::ptrdiff_t>(0, std::ssize(points) - 1);
    selected_ = static_cast<std::size_t>(std::min(above - points.begin(), last));
    if (points.empty()) selected_.reset();
  }
  hovered_.reset();
  points_ = std::move(points);
  update();
}

void PlanChart::set_marks(const std::optional<ChartMarks>& marks) {
  marks_ = marks;
  update();
}

QRectF PlanChart::plot() const {
  return rect().toRectF().adjusted(left_margin, top_margin, -right_margin, -bottom_margin);
}

PlanChartMap PlanChart::map() const {
  std::vector<ChartPoint> points = points_;
  std::vector<std::int64_t> peaks;
  if (marks_) {
    points.push_back(marks_->baseline);
    points.push_back(marks_->current);
    if (marks_->floor) peaks.push_back(*marks_->floor);
  }
  return map_around(points, peaks, plot());
}

QString PlanChart::readout() const {
  const auto at = hovered_ ? hovered_ : selected_;
  if (!at || !marks_) return {};
  const ChartPoint& point = points_[*at];
  return tr("%1 (%2), %3")
      .arg(bytes_text(point.peak_bytes), change_text(marks_->baseline.peak_bytes, point.peak_bytes),
           more_time_text(point.extra_seconds, marks_->baseline_seconds));
}

void PlanChart::paintEvent(QPaintEvent*) {
  const Theme theme = theme_of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.canvas);
  painter.setRenderHint(QPainter::Antialiasing);
  if (!marks_) return paint_invitation(painter, theme);
  const PlanChartMap map = this->map();
  paint_grid(painter, map, theme);
  painter.save();
  painter.setClipRect(plot().adjusted(-mark_radius, -mark_radius, mark_radius, mark_radius));
  paint_limits(painter, map, theme);
  paint_points(painter, map, theme);
  paint_marks(painter, map, theme);
  painter.restore();
  paint_key(painter, theme);
  if (points_.empty()) paint_invitation(painter, theme);
  paint_readout(painter, map, theme);
  if (!hasFocus()) return;
  painter.setPen(theme.accent);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5));
}

void PlanChart::paint_grid(QPainter& painter, const PlanChartMap& map, const Theme& theme) const {
  const QRectF area = plot();
  for (const ChartTick& tick :
       time_ticks(map.most_seconds, std::max(2, static_cast<int>(area.height() / time_grid)))) {
    const double y = std::round(map.y_of(tick.value)) + 0.5;
    painter.setPen(tick.value == 0 ? theme.muted : theme.line);
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    painter.setPen(theme.muted);
    painter.drawText(QRectF(0, y - row / 2, left_margin - 8, row),
                     Qt::AlignRight | Qt::AlignVCenter, shown(tick.text));
  }
  double free_from = 0;
  for (const ChartTick& tick :
       peak_ticks(map.first_bytes, map.last_bytes,
                  std::max(2, static_cast<int>(area.width() / peak_grid)))) {
    const double x = std::round(map.x_of(tick.value)) + 0.5;
    painter.setPen(theme.line);
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    const double width = painter.fontMetrics().horizontalAdvance(shown(tick.text)) + 8;
    if (x - width / 2 < free_from || x + width / 2 > this->width()) continue;
    free_from = x + width / 2;
    painter.setPen(theme.muted);
    painter.drawText(QRectF(x - width / 2, area.bottom() + 4, width, row), Qt::AlignCenter,
                     shown(tick.text));
  }
  painter.setPen(theme.muted);
  painter.drawText(QRectF(title_left, 4, area.width(), row), Qt::AlignLeft | Qt::AlignVCenter,
                   title());
}

/// What no plan reaches, and the budget.
void PlanChart::paint_limits(QPainter& painter, const PlanChartMap& map, const Theme& theme) const {
  const QRectF area = plot();
  if (marks_->floor) {
    QRectF below = area;
    below.setRight(map.x_of(static_cast<double>(*marks_->floor)));
    QColor shade = theme.muted;
    shade.setAlphaF(0.18f);
    painter.fillRect(below, shade);
  }
  if (!marks_->budget) return;
  const double x = map.x_of(static_cast<double>(*marks_->budget));
  painter.setPen(QPen(theme.accent, 1, Qt::DashLine));
  painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
}

/// A step from plan to plan: between two peaks, the cheaper plan is out of reach.
void PlanChart::paint_points(QPainter& painter, const PlanChartMap& map, const Theme& theme) const {
  QPolygonF stairs;
  for (const ChartPoint& point : points_) {
    const QPointF at = map.at(point);
    if (!stairs.isEmpty()) stairs << QPointF(at.x(), stairs.back().y());
    stairs << at;
  }
  painter.setPen(QPen(theme.stash, 1.2));
  painter.drawPolyline(stairs);
  for (const ChartPoint& point : points_) {
    paint_dot(painter, map.at(point), point_radius, theme.stash, theme.stash);
  }
}

void PlanChart::paint_marks(QPainter& painter, const PlanChartMap& map, const Theme& theme) const {
  paint_dot(painter, map.at(marks_->baseline), mark_radius, theme.baseline, theme.canvas);
  paint_dot(painter, map.at(marks_->current), mark_radius, theme.accent, theme.canvas);
  for (const auto& each : {selected_, hovered_}) {
    if (each)
      paint_dot(painter, map.at(points_[*each]), mark_radius + 2, Qt::transparent, theme.text);
  }
}

/// What the larger dots mean, where there is room.
void PlanChart::paint_key(QPainter& painter, const Theme& theme) const {
  double right = plot().right();
  const auto entry = [&](const QColor& colour, const QString& text) {
    const double width = painter.fontMetrics().horizontalAdvance(text) + 4;
    if (right - width < width_of_title(painter)) return;
    painter.setPen(theme.muted);
    painter.drawText(QRectF(right - width, 4, width, row), Qt::AlignVCenter, text);
    paint_dot(painter, QPointF(right - width - 8, 4 + row / 2), mark_radius - 1, colour, colour);
    right -= width + 28;
  };
  entry(theme.accent, tr("now"));
  entry(theme.baseline, tr("without plans"));
}

void PlanChart::paint_invitation(QPainter& painter, const Theme& theme) const {
  painter.setPen(theme.muted);
  painter.drawText(plot(), Qt::AlignCenter | Qt::TextWordWrap,
                   marks_ ? tr("Curve shows what each peak costs in time.")
                          : tr("Open a model to plan its memory."));
}

void PlanChart::paint_readout(QPainter& painter, const PlanChartMap& map,
                              const Theme& theme) const {
  const QString text = readout();
  if (text.isEmpty()) return;
  const QPointF at = map.at(points_[hovered_ ? *hovered_ : *selected_]);
  const double width = painter.fontMetrics().horizontalAdvance(text) + 12;
  const double x = std::clamp(at.x() - width / 2, 2.0, std::max(2.0, this->width() - width - 2));
  const double above = at.y() - mark_radius - 6 - row;
  const QRectF box(x, above < top_margin - 2 ? at.y() + mark_radius + 6 : above, width, row);
  painter.setPen(theme.line);
  painter.setBrush(theme.surface);
  painter.drawRoundedRect(box, 4, 4);
  painter.setPen(theme.text);
  painter.drawText(box, Qt::AlignCenter, text);
}

void PlanChart::mouseMoveEvent(QMouseEvent* event) {
  hovered_ = nearest_point(map(), points_, event->position(), click_radius);
  setCursor(hovered_ ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
}

void PlanChart::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const auto point = nearest_point(map(), points_, event->position(), click_radius);
  if (!point) return;
  move_to(*point);
  Q_EMIT point_chosen(*point);
}

void PlanChart::move_to(std::size_t point) {
  selected_ = point;
  hovered_.reset();
  setAccessibleDescription(readout());
  update();
}

void PlanChart::keyPressEvent(QKeyEvent* event) {
  if (points_.empty()) return QWidget::keyPressEvent(event);
  const std::size_t last = points_.size() - 1;
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Up:
      return move_to(selected_ ? std::max<std::size_t>(*selected_, 1) - 1 : last);
    case Qt::Key_Right:
    case Qt::Key_Down:
      return move_to(selected_ ? std::min(*selected_ + 1, last) : 0);
    case Qt::Key_Home:
      return move_to(0);
    case Qt::Key_End:
      return move_to(last);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (selected_) {
        Q_EMIT point_chosen(*selected_);
        return;
      }
      break;
    default:
      break;
  }
  QWidget::keyPressEvent(event);
}

void PlanChart::leaveEvent(QEvent*) {
  hovered_.reset();
  update();
}

}  // namespace stashscope::ui
