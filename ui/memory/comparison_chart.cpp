#include "ui/memory/comparison_chart.h"

#include <QMouseEvent>
#include <QPainter>
#include <cmath>

#include "core/memory/envelope.h"
#include "ui/memory/byte_axis.h"
#include "ui/models/texts.h"
#include "ui/panels/key_action.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr double right_margin = 16;
constexpr double zoom_step = 1.25;
/// Of the higher peak, so that its mark has a place.
constexpr double room_above_peak = 1.08;
/// Distance between grid lines, in lines of text.
constexpr double lines_per_grid = 3;
constexpr std::array sides = {ComparisonChart::left, ComparisonChart::right};

/// The step after the last forward node; the end when there is no boundary.
double boundary_of(const Variant& variant) {
  const std::size_t steps = variant.forward_steps;
  return static_cast<double>(steps > 0 ? steps : variant.timeline.order.size());
}

double end_of(const Variant& variant) { return static_cast<double>(variant.timeline.order.size()); }

StepAlignment align(const Variant& shown, const Variant& own) {
  return {boundary_of(shown), end_of(shown), boundary_of(own), end_of(own)};
}

/// Column by column of pixels the highest and the lowest point.
QPolygonF outline(std::span<const std::int64_t> values, const StepAlignment& alignment,
                  const StepAxis& axis, const std::function<double(std::int64_t)>& y_of) {
  const auto columns = static_cast<std::size_t>(std::max(1.0, axis.right - axis.left));
  std::vector<double> bounds = even_bounds(axis.first, axis.last, columns);
  for (double& bound : bounds) bound = alignment.to_own(bound);
  QPolygonF points;
  const std::vector<Extremes> extremes = envelope(values, bounds);
  for (std::size_t i = 0; i < extremes.size(); ++i) {
    const double x = axis.left + static_cast<double>(i) + 0.5;
    points << QPointF(x, y_of(extremes[i].high));
    if (extremes[i].low != extremes[i].high) points << QPointF(x, y_of(extremes[i].low));
  }
  return points;
}

QPen pen_of(ComparisonChart::Side side, const Theme& theme) {
  return {ComparisonChart::colour_of(side, theme), 1.6,
          side == ComparisonChart::left ? Qt::SolidLine : Qt::DashLine};
}

}  // namespace

ComparisonChart::ComparisonChart(QWidget* parent) : QWidget(parent) {
  setObjectName(u"comparison_chart"_s);
  setAccessibleName(tr("Memory of both sides over the steps"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(160, 56);
  add_keys();
}

QColor ComparisonChart::colour_of(Side side, const Theme& theme) {
  return side == left ? theme.accent : theme.measured;
}

bool ComparisonChart::is_empty() const {
  return studies_[left] == nullptr || studies_[right] == nullptr ||
         variant(left).timeline.order.empty() || variant(right).timeline.order.empty();
}

void ComparisonChart::set_studies(std::shared_ptr<const Study> left_study,
                                  std::shared_ptr<const Study> right_study) {
  const bool same_model = studies_[left] != nullptr && left_study != nullptr &&
                          studies_[left]->model == left_study->model;
  studies_ = {std::move(left_study), std::move(right_study)};
  if (is_empty()) return update();
  std::int64_t most = 1;
  for (const Side side : sides) {
    alignments_[side] = align(variant(left), variant(side));
    most = std::max(most, variant(side).timeline.peak_bytes);
  }
  top_ = std::llround(static_cast<double>(most) * room_above_peak);
  axis_ = with_steps(axis_, end_of(variant(left)));
  if (!same_model) {
    axis_ = whole(axis_);
    cursor_ = variant(left).timeline.peak_step;
  }
  cursor_ = std::min(cursor_, variant(left).timeline.order.size() - 1);
  update();
}

QRectF ComparisonChart::plot() const {
  const double line = fontMetrics().height();
  const double numbers = fontMetrics().horizontalAdvance(u"888.8 MiB"_s) + 12;
  return rect().toRectF().adjusted(numbers, line + 8, -right_margin, -line - 8);
}

double ComparisonChart::y_of(std::int64_t bytes) const {
  const QRectF area = plot();
  return area.bottom() - area.height() * static_cast<double>(bytes) / static_cast<double>(top_);
}

std::size_t ComparisonChart::step_at_cursor(Side side) const {
  const double own = alignments_[side].to_own(static_cast<double>(cursor_) + 0.5);
  return static_cast<std::size_t>(std::clamp(std::floor(own), 0.0, end_of(variant(side)) - 1));
}

void ComparisonChart::paintEvent(QPaintEvent*) {
  const Theme theme = theme_of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.canvas);
  if (is_empty()) return;
  painter.setRenderHint(QPainter::Antialiasing);
  paint_grid(painter, theme);
  paint_phases(painter, theme);
  painter.save();
  painter.setClipRect(plot().adjusted(-6, -6, 6, 1));
  for (const Side side : sides) paint_side(painter, theme, side);
  paint_cursor(painter, theme);
  painter.restore();
  const double key = paint_key(painter, theme);
  painter.setPen(theme.text);
  const QRectF line(key, 2, plot().right() - key, fontMetrics().height() + 2);
  const bool fits = fontMetrics().horizontalAdvance(readout()) <= line.width();
  painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, fits ? readout() : short_readout());
}

double ComparisonChart::paint_key(QPainter& painter, const Theme& theme) const {
  double x = plot().left();
  const double high = fontMetrics().height() + 2;
  for (const Side side : sides) {
    painter.setPen(pen_of(side, theme));
    painter.drawLine(QPointF(x, 2 + high / 2), QPointF(x + 22, 2 + high / 2));
    const QString text = side == left ? tr("left") : tr("right");
    painter.setPen(theme.muted);
    painter.drawText(QRectF(x + 28, 2, 200, high), Qt::AlignVCenter, text);
    x += 28 + fontMetrics().horizontalAdvance(text) + 16;
  }
  return x;
}

void ComparisonChart::paint_grid(QPainter& painter, const Theme& theme) const {
  const QRectF area = plot();
  const double distance = lines_per_grid * fontMetrics().height();
  for (const ByteTick& tick : byte_ticks(top_, std::max(2, qRound(area.height() / distance)))) {
    const double y = std::round(y_of(tick.bytes)) + 0.5;
    painter.setPen(tick.bytes == 0 ? theme.muted : theme.line);
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    painter.setPen(theme.muted);
    painter.drawText(QRectF(0, y - distance / 2, area.left() - 8, distance),
                     Qt::AlignRight | Qt::AlignVCenter, shown(tick.text));
  }
}

void ComparisonChart::paint_phases(QPainter& painter, const Theme& theme) const {
  const QRectF area = plot();
  const double boundary =
      std::clamp(axis_.x_of(boundary_of(variant(left))), area.left(), area.right());
  painter.setPen(theme.line);
  painter.drawLine(QPointF(boundary, area.top()), QPointF(boundary, area.bottom() + 6));
  painter.setPen(theme.muted);
  const auto write = [&](double from, double to, const QString& text) {
    const QRectF room(from, area.bottom() + 3, to - from, fontMetrics().height());
    if (room.width() > fontMetrics().horizontalAdvance(text)) {
      painter.drawText(room, Qt::AlignCenter, text);
    }
  };
  write(area.left(), boundary, tr("forward"));
  write(boundary, area.right(), tr("backward"));
}

void ComparisonChart::paint_side(QPainter& painter, const Theme& theme, Side side) const {
  const Timeline& timeline = variant(side).timeline;
  const QColor colour = colour_of(side, theme);
  painter.setPen(pen_of(side, theme));
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(outline(timeline.live_bytes, alignments_[side], axis_,
                               [this](std::int64_t bytes) { return y_of(bytes); }));
  const double peak = alignments_[side].to_shown(static_cast<double>(timeline.peak_step) + 0.5);
  painter.setPen(QPen(theme.canvas, 1.5));
  painter.setBrush(colour);
  painter.drawEllipse(QPointF(axis_.x_of(peak), y_of(timeline.peak_bytes)), 4.5, 4.5);
}

void ComparisonChart::paint_cursor(QPainter& painter, const Theme& theme) const {
  const double x = axis_.x_of(static_cast<double>(cursor_) + 0.5);
  painter.setPen(QPen(theme.text, 1.2));
  painter.drawLine(QPointF(x, plot().top()), QPointF(x, plot().bottom()));
}

QString ComparisonChart::readout(Side side) const {
  return tr("step %1: %2").arg(step_at_cursor(side) + 1).arg(bytes_text(bytes_at_cursor(side)));
}

std::int64_t ComparisonChart::bytes_at_cursor(Side side) const {
  return variant(side).timeline.live_bytes[step_at_cursor(side)];
}

QString ComparisonChart::change_at_cursor() const {
  return change_text(bytes_at_cursor(left), bytes_at_cursor(right));
}

QString ComparisonChart::readout() const {
  if (is_empty()) return {};
  return tr("left %1 – right %2 (%3)").arg(readout(left), readout(right), change_at_cursor());
}

QString ComparisonChart::short_readout() const {
  return u"%1 – %2 (%3)"_s.arg(bytes_text(bytes_at_cursor(left)),
                               bytes_text(bytes_at_cursor(right)), change_at_cursor());
}

void ComparisonChart::set_axis(const StepAxis& axis) {
  axis_ = axis;
  update();
}

void ComparisonChart::resizeEvent(QResizeEvent*) { fit_axis(); }

void ComparisonChart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) fit_axis();
}

void ComparisonChart::fit_axis() {
  axis_.left = plot().left();
  axis_.right = std::max(axis_.left + 1, plot().right());
}

void ComparisonChart::wheelEvent(QWheelEvent* event) {
  const double notches = event->angleDelta().y() / 120.0;
  set_axis(zoomed(axis_, std::pow(zoom_step, notches), event->position().x()));
  event->accept();
}

void ComparisonChart::mousePressEvent(QMouseEvent* event) { dragged_to_ = event->position().x(); }

void ComparisonChart::mouseMoveEvent(QMouseEvent* event) {
  if (is_empty()) return;
  const double x = event->position().x();
  if (event->buttons().testFlag(Qt::LeftButton)) {
    set_axis(moved(axis_, x - dragged_to_));
    dragged_to_ = x;
  }
  cursor_ = axis_.index_at(x);
  update();
}

void ComparisonChart::move_cursor(std::ptrdiff_t by) {
  if (is_empty()) return;
  const auto last = std::ssize(variant(left).timeline.order) - 1;
  const auto to = static_cast<std::ptrdiff_t>(cursor_) + by;
  cursor_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(to, 0, last));
  const auto at = static_cast<double>(cursor_);
  const double length = axis_.last - axis_.first;
  if (at < axis_.first || at >= axis_.last) axis_ = with_range(axis_, at - length / 2, length);
  update();
}

void ComparisonChart::add_keys() {
  const auto zoom = [this](double factor) {
    set_axis(zoomed(axis_, factor, axis_.x_of(static_cast<double>(cursor_))));
  };
  add_key_action(*this, tr("Step back"), {Qt::Key_Left}, [this] { move_cursor(-1); });
  add_key_action(*this, tr("Step forward"), {Qt::Key_Right}, [this] { move_cursor(1); });
  add_key_action(*this, tr("Ten steps back"), {Qt::SHIFT | Qt::Key_Left},
                 [this] { move_cursor(-10); });
  add_key_action(*this, tr("Ten steps forward"), {Qt::SHIFT | Qt::Key_Right},
                 [this] { move_cursor(10); });
  add_key_action(*this, tr("Zoom in"), {Qt::Key_Plus}, [zoom] { zoom(zoom_step); });
  add_key_action(*this, tr("Zoom out"), {Qt::Key_Minus}, [zoom] { zoom(1 / zoom_step); });
  add_key_action(*this, tr("Show the whole step"), {Qt::Key_0}, [this] { set_axis(whole(axis_)); });
}

}  // namespace stashscope::ui
