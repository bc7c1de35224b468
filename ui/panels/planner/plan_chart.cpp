#include "ui/panels/planner/plan_chart.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "ui/charts/chart_text.h"
#include "ui/panels/planner/answer_text.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

constexpr double right_margin = 20;
constexpr double air = 4;  // pixels above and below the plot
constexpr double title_left = 8;
constexpr double point_radius = 2;
constexpr double mark_radius = 5;
constexpr double click_radius = 14;

void paint_dot(QPainter& painter, QPointF at, double radius, const QColor& fill,
               const QColor& edge) {
  painter.setPen(QPen(edge, 1.5));
  painter.setBrush(fill);
  painter.drawEllipse(at, radius, radius);
}

}  // namespace

PlanChart::PlanChart(QWidget* parent) : PointChart(parent) {
  setObjectName(QStringLiteral("plan_chart"));
  setAccessibleName(tr("Peak against extra time"));
  setMinimumSize(200, 110);
}

void PlanChart::set_points(std::vector<ChartPoint> points) {
  if (points == points_) return;
  // Keeps the plan that the keys selected. If that plan is gone, selects one with a similar peak.
  const bool has_keys = selected().has_value();
  const std::int64_t peak = has_keys ? points_[*selected()].peak_bytes : 0;
  points_ = std::move(points);
  move_to(has_keys && !points_.empty() ? std::optional(point_near(peak)) : std::nullopt);
}

std::size_t PlanChart::point_near(std::int64_t peak_bytes) const {
  const auto above = std::ranges::lower_bound(points_, peak_bytes, {}, &ChartPoint::peak_bytes);
  return static_cast<std::size_t>(std::min(above - points_.begin(), std::ssize(points_) - 1));
}

QString PlanChart::title() const {
  const bool invites = points_.empty() && (!marks_ || marks_->why_no_curve.isEmpty());
  const QString title = marks_ && marks_->is_beside_reserved
                            ? tr("extra time by peak of the tensors")
                            : tr("extra time by peak");
  return invites ? tr("%1 (Curve shows more)").arg(title) : title;
}

void PlanChart::set_marks(const std::optional<ChartMarks>& marks) {
  marks_ = marks;
  tell();
}

QRectF PlanChart::plot() const {
  const ChartRoom room = chart_room(fontMetrics());
  // The upper half of the topmost number lies between the plot and the title.
  const double above = 1.5 * room.line + air;
  return plot_inside(rect(), {room.numbers, above, right_margin, room.line + 2 * air});
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
  if (!current() || !marks_) return {};
  const ChartPoint& point = points_[*current()];
  return tr("%1 (%2), %3")
      .arg(bytes_text(point.peak_bytes), change_text(marks_->baseline.peak_bytes, point.peak_bytes),
           more_time_text(point.extra_seconds, marks_->baseline_seconds));
}

PictureData PlanChart::picture_data() {
  if (points_.empty() || !marks_) return {};
  return [points = points_, marks = *marks_] {
    std::string table = csv_record({"plan", "peak bytes", "extra seconds"});
    const auto add = [&](const char* name, const ChartPoint& point) {
      table +=
          csv_record({name, std::to_string(point.peak_bytes), format_number(point.extra_seconds)});
    };
    add("without plans", marks.baseline);
    add("now", marks.current);
    for (const ChartPoint& each : points) add("found", each);
    return table;
  };
}

void PlanChart::paint(QPainter& painter) const {
  const Theme theme = theme_of(palette());
  painter.fillRect(rect(), theme.canvas);
  painter.setRenderHint(QPainter::Antialiasing);
  if (!marks_) {
    return paint_invitation(painter, plot(), tr("Open a model to plan its memory."), theme);
  }
  const PlanChartMap map = this->map();
  // Without any extra time, an axis of times has no scale, so only the invitation is shown. With an
  // axis, the invitation is part of the title, because a text on the lines of a grid is hard to
  // read.
  if (points_.empty() && !map.has_times) {
    const QString& why_not = marks_->why_no_curve;
    return paint_invitation(
        painter, plot(),
        why_not.isEmpty() ? tr("Press Curve to see how much extra time each lower peak costs.")
                          : why_not,
        theme);
  }
  paint_grid(painter, map, theme);
  painter.save();
  painter.setClipRect(plot().adjusted(-mark_radius, -mark_radius, mark_radius, mark_radius));
  paint_limits(painter, map, theme);
  paint_points(painter, map, theme);
  paint_marks(painter, map, theme);
  painter.restore();
  paint_key(painter, theme);
  paint_readout(painter, map, theme);
}

void PlanChart::paint_grid(QPainter& painter, const PlanChartMap& map, const Theme& theme) const {
  const QRectF area = plot();
  const ChartRoom room = chart_room(painter);
  const double row = room.line;
  const int lines = grid_lines(area.height(), room);
  for (const ChartTick& tick : time_ticks(map.has_times ? map.most_seconds : 0, lines)) {
    const double y = std::round(map.y_of(tick.value)) + 0.5;
    painter.setPen(tick.value == 0 ? theme.muted : theme.line);
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    painter.setPen(theme.muted);
    painter.drawText(QRectF(0, y - row / 2, area.left() - 8, row),
                     Qt::AlignRight | Qt::AlignVCenter, shown(tick.text));
  }
  double free_from = 0;
  for (const ChartTick& tick :
       peak_ticks(map.first_bytes, map.last_bytes,
                  std::max(2, static_cast<int>(area.width() / (1.25 * room.numbers))))) {
    const double x = std::round(map.x_of(tick.value)) + 0.5;
    painter.setPen(theme.line);
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    const double width = painter.fontMetrics().horizontalAdvance(shown(tick.text)) + 8;
    const double left = std::min(x - width / 2, this->width() - width);
    if (left < free_from) continue;
    free_from = left + width;
    painter.setPen(theme.muted);
    painter.drawText(QRectF(left, area.bottom() + air, width, row), Qt::AlignCenter,
                     shown(tick.text));
  }
  paint_title(painter, theme);
}

void PlanChart::paint_title(QPainter& painter, const Theme& theme) const {
  const QRectF place(title_left, air, plot().width(), chart_room(painter).line);
  painter.setPen(theme.muted);
  painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, title());
}

/// Paints the lower bound on the peak as a shaded area, and the budget as a dashed line.
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
  if (x >= area.left() && x <= area.right()) paint_budget(painter, x, theme);
}

QString PlanChart::budget_text() const {
  if (!marks_ || !marks_->budget) return {};
  return marks_->is_beside_reserved ? tr("budget for tensors") : tr("budget");
}

/// Paints the name of the line of the budget beside the line, on the side that has room.
/// @param x horizontal position of the line, in pixels
void PlanChart::paint_budget(QPainter& painter, double x, const Theme& theme) const {
  const QString text = budget_text();
  const QRectF area = plot();
  const double width = painter.fontMetrics().horizontalAdvance(text) + 2 * air;
  const double left = x + width <= area.right() ? x + 1 : x - width - 1;
  if (left < area.left()) return;
  const QRectF place(left, area.top() + 1, width, chart_room(painter).line);
  painter.fillRect(place, theme.canvas);
  painter.setPen(theme.accent);
  painter.drawText(place, Qt::AlignCenter, text);
}

/// Paints a staircase through the plans: of two neighbouring plans, a budget between their peaks
/// allows only the plan with the lower peak.
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
  for (const auto& each : {selected(), hovered()}) {
    if (each)
      paint_dot(painter, map.at(points_[*each]), mark_radius + 2, Qt::transparent, theme.text);
  }
}

/// Paints the meaning of the larger dots, as far as there is room.
void PlanChart::paint_key(QPainter& painter, const Theme& theme) const {
  const double row = chart_room(painter).line;
  const double width_of_title = title_left + painter.fontMetrics().horizontalAdvance(title()) + 24;
  double right = plot().right();
  const auto entry = [&](const QColor& colour, const QString& text) {
    const double width = painter.fontMetrics().horizontalAdvance(text) + 4;
    if (right - width < width_of_title) return;
    painter.setPen(theme.muted);
    painter.drawText(QRectF(right - width, air, width, row), Qt::AlignVCenter, text);
    paint_dot(painter, QPointF(right - width - 8, air + row / 2), mark_radius - 1, colour, colour);
    right -= width + 28;
  };
  entry(theme.accent, tr("now"));
  entry(theme.baseline, tr("without plans"));
}

void PlanChart::paint_readout(QPainter& painter, const PlanChartMap& map,
                              const Theme& theme) const {
  const QString text = readout();
  if (text.isEmpty()) return;
  const QPointF at = map.at(points_[*current()]);
  const double row = chart_room(painter).line;
  const double width = painter.fontMetrics().horizontalAdvance(text) + 12;
  const double x = std::clamp(at.x() - width / 2, 2.0, std::max(2.0, this->width() - width - 2));
  const double above = at.y() - mark_radius - 6 - row;
  const QRectF box(x, above < plot().top() - 2 ? at.y() + mark_radius + 6 : above, width, row);
  painter.setPen(theme.line);
  painter.setBrush(theme.surface);
  painter.drawRoundedRect(box, 4, 4);
  painter.setPen(theme.text);
  painter.drawText(box, Qt::AlignCenter, text);
}

std::optional<std::size_t> PlanChart::point_at(QPointF pixel) const {
  return nearest_point(map(), points_, pixel, click_radius);
}

std::size_t PlanChart::first_stop() const {
  return marks_ ? point_near(marks_->current.peak_bytes) : 0;
}

}  // namespace stashscope::ui
