#include "ui/memory/sweep_chart.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "core/base/csv.h"
#include "ui/charts/chart_text.h"
#include "ui/memory/memory_key.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr double sweep_right_margin = 24;
constexpr double tick = 4;
/// Minimum space between the numbers of two neighbouring sizes, in pixels.
constexpr double tick_gap = 24;
constexpr double dot = 3;
constexpr double current_dot = 4.5;

KeyEntry baseline_line(const Theme& theme, bool is_reserved) {
  const QString text = is_reserved ? SweepChart::tr("reserved without plans")
                                   : SweepChart::tr("tensors without plans");
  return {KeyEntry::Mark::line, text, theme.baseline, 1, Qt::DashLine};
}
KeyEntry current_line(const Theme& theme, bool is_reserved) {
  const QString text = is_reserved ? SweepChart::tr("reserved now") : SweepChart::tr("tensors now");
  return {KeyEntry::Mark::line, text, theme.accent, 1.6};
}
KeyEntry memory_line(const QString& text, const Theme& theme) {
  return {KeyEntry::Mark::line, text, theme.warning, 1, Qt::DashLine};
}
QColor refused_colour(const Theme& theme) {
  QColor shade = theme.muted;
  shade.setAlphaF(0.35f);
  return shade;
}
KeyEntry refused_sizes(const Theme& theme) {
  return {KeyEntry::Mark::hatch,
          SweepChart::tr("sizes that the model refuses"),
          refused_colour(theme),
          1,
          Qt::SolidLine,
          1,
          SweepChart::tr("refused sizes")};
}
QPen pen_of(const KeyEntry& entry) { return {entry.colour, entry.width, entry.style}; }

}  // namespace

SweepChart::SweepChart(QWidget* parent) : PointChart(parent) {
  setObjectName(u"sweep_chart"_s);
  setMinimumSize(240, 72);
  start({}, {});
}

void SweepChart::start(const SweepFrame& frame, const QString& invitation) {
  frame_ = frame;
  setAccessibleName(frame.is_reserved ? tr("Reserved memory against the sizes of a dimension")
                                      : tr("Peak against the sizes of a dimension"));
  invitation_ = invitation;
  points_.clear();
  move_to(std::nullopt);
}

void SweepChart::add(const SweepPoint& point) {
  const auto place = std::ranges::lower_bound(points_, point.value, {}, &SweepPoint::value);
  const auto index = static_cast<std::size_t>(place - points_.begin());
  points_.insert(place, point);
  make_room_for(index);
}

void SweepChart::set_value(std::int64_t value) {
  frame_.value = value;
  update();
}

void SweepChart::set_memory(std::int64_t bytes, const QString& of) {
  frame_.memory_bytes = bytes;
  frame_.memory_of = of;
  update();
}

/// The key above the plot, followed by room for the readout.
KeyLayout SweepChart::key() const {
  const Theme theme = theme_of(palette());
  std::vector<KeyEntry> entries = {baseline_line(theme, frame_.is_reserved),
                                   current_line(theme, frame_.is_reserved)};
  if (frame_.memory_bytes > 0) {
    const bool is_far = frame_.memory_bytes > top_of(points_, frame_.memory_bytes);
    const QString text = is_far ? tr("%1 of %2 (beyond the axis)") : tr("%1 of %2");
    entries.push_back(
        memory_line(text.arg(bytes_text(frame_.memory_bytes), frame_.memory_of), theme));
  }
  const bool has_refused =
      std::ranges::any_of(points_, [](const SweepPoint& each) { return !each.fault.empty(); });
  if (has_refused) entries.push_back(refused_sizes(theme));
  return {
      entries, fontMetrics(), {chart_room(fontMetrics()).numbers, width() - sweep_right_margin}};
}

QRectF SweepChart::plot() const {
  const ChartRoom room = chart_room(fontMetrics());
  return plot_inside(rect(),
                     {room.numbers, key().height(), sweep_right_margin, room.line + tick + 2});
}

SweepMap SweepChart::map() const {
  const QRectF area = plot();
  return {frame_.from,  frame_.to,    top_of(points_, frame_.memory_bytes),
          area.left(),  area.right(), area.top(),
          area.bottom()};
}

PictureData SweepChart::picture_data() {
  if (points_.empty()) return {};
  return [points = points_, dimension = frame_.dimension.toStdString(),
          what = std::string(frame_.is_reserved ? "reserved" : "peak")] {
    std::string table = csv_record({dimension, what + " bytes without plans", what + " bytes now",
                                    "why the size does not fit"});
    for (const SweepPoint& each : points) {
      const bool fits = each.fault.empty();
      table += csv_record({std::to_string(each.value),
                           fits ? std::to_string(each.baseline_bytes) : std::string(),
                           fits ? std::to_string(each.current_bytes) : std::string(), each.fault});
    }
    return table;
  };
}

void SweepChart::paint(QPainter& painter) const {
  const Theme theme = theme_of(palette());
  painter.fillRect(rect(), theme.canvas);
  painter.setRenderHint(QPainter::Antialiasing);
  if (points_.empty()) {
    return paint_invitation(painter, rect().toRectF().adjusted(16, 16, -16, -16), invitation_,
                            theme);
  }
  const SweepMap at = map();
  paint_byte_grid(painter, plot(), at.top, theme);
  paint_sizes(painter, at, theme);
  paint_refused(painter, at, theme);
  paint_memory(painter, at, theme);
  paint_curve(painter, at, &SweepPoint::baseline_bytes, pen_of(baseline_line(theme, false)));
  paint_curve(painter, at, &SweepPoint::current_bytes, pen_of(current_line(theme, false)));
  paint_value(painter, at, theme);
  paint_points(painter, at, theme);
  const KeyLayout key = this->key();
  key.paint(painter, theme);
  painter.setPen(theme.text);
  painter.drawText(key.text_line(), Qt::AlignRight | Qt::AlignVCenter,
                   longest_that_fits(readouts(), fontMetrics(), key.text_line().width()));
}

void SweepChart::paint_sizes(QPainter& painter, const SweepMap& map, const Theme& theme) const {
  const double widest = painter.fontMetrics().horizontalAdvance(QString::number(map.to)) + tick_gap;
  const int columns = std::max(2, static_cast<int>((map.right - map.left) / widest));
  painter.setPen(theme.muted);
  for (const std::int64_t size : value_ticks(map.from, map.to, columns)) {
    const double x = std::round(map.x_of(size)) + 0.5;
    painter.drawLine(QPointF(x, map.lower), QPointF(x, map.lower + tick));
    painter.drawText(QRectF(x - widest / 2, map.lower + tick, widest, chart_room(painter).line),
                     Qt::AlignCenter, QString::number(size));
  }
}

/// Marks the tried sizes that the model does not accept.
void SweepChart::paint_refused(QPainter& painter, const SweepMap& map, const Theme& theme) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (points_[i].fault.empty()) continue;
    const double x = map.x_of(points_[i].value);
    const double before = i == 0 ? x : (x + map.x_of(points_[i - 1].value)) / 2;
    const double after = i + 1 == points_.size() ? x : (x + map.x_of(points_[i + 1].value)) / 2;
    painter.fillRect(
        QRectF(before, map.upper, std::max(2.0, after - before), map.lower - map.upper),
        QBrush(refused_colour(theme), Qt::BDiagPattern));
  }
}

void SweepChart::paint_memory(QPainter& painter, const SweepMap& map, const Theme& theme) const {
  if (frame_.memory_bytes <= 0 || frame_.memory_bytes > map.top) return;
  const double y = std::round(map.y_of(frame_.memory_bytes)) + 0.5;
  painter.setPen(pen_of(memory_line({}, theme)));
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

/// Paints the points of the curve with plans. Points above the memory of the device have the colour
/// of the memory line.
void SweepChart::paint_points(QPainter& painter, const SweepMap& map, const Theme& theme) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const SweepPoint& each = points_[i];
    if (!each.fault.empty()) continue;
    const bool fits = frame_.memory_bytes <= 0 || each.current_bytes <= frame_.memory_bytes;
    const double radius = current() == i ? current_dot : dot;
    painter.setPen(QPen(theme.canvas, 1));
    painter.setBrush(fits ? theme.accent : theme.warning);
    painter.drawEllipse(QPointF(map.x_of(each.value), map.y_of(each.current_bytes)), radius,
                        radius);
  }
}

void SweepChart::paint_value(QPainter& painter, const SweepMap& map, const Theme& theme) const {
  if (current()) {
    const double x = map.x_of(points_[*current()].value);
    painter.setPen(QPen(theme.muted, 1));
    painter.drawLine(QPointF(x, map.upper), QPointF(x, map.lower));
  }
  if (frame_.value < map.from || frame_.value > map.to) return;
  const double x = map.x_of(frame_.value);
  painter.setPen(QPen(theme.text, 1.2));
  painter.drawLine(QPointF(x, map.upper), QPointF(x, map.lower));
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.text);
  painter.drawPolygon(QPolygonF({{x - 5, map.upper - 6}, {x + 5, map.upper - 6}, {x, map.upper}}));
}

QStringList SweepChart::readouts() const {
  if (!current()) return {};
  const SweepPoint& point = points_[*current()];
  if (!point.fault.empty()) return {tr("%1: %2").arg(point.value).arg(shown(point.fault))};
  const QString before = bytes_text(point.baseline_bytes);
  const QString after = bytes_text(point.current_bytes);
  const QString change = change_text(point.baseline_bytes, point.current_bytes);
  return {
      u"%1 = %2   %3 → %4 (%5)"_s.arg(frame_.dimension).arg(point.value).arg(before, after, change),
      u"%1:  %2 → %3 (%4)"_s.arg(point.value).arg(before, after, change),
      u"%1:  %2 → %3"_s.arg(point.value).arg(before, after),
      u"%1:  %2"_s.arg(point.value).arg(after)};
}

QString SweepChart::readout() const { return current() ? readouts().front() : QString(); }

std::optional<std::size_t> SweepChart::point_at(QPointF pixel) const {
  return nearest_point(map(), points_, pixel.x());
}

std::size_t SweepChart::first_stop() const {
  return *nearest_point(map(), points_, map().x_of(frame_.value));
}

/// The tool tip has the whole readout, for which the chart may have no room.
bool SweepChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return PointChart::event(event);
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), readout(), this);
  return true;
}

}  // namespace stashscope::ui
