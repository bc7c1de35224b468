#include "ui/memory/memory_view.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>
#include <cmath>

#include "core/memory/envelope.h"
#include "ui/memory/band_colours.h"
#include "ui/memory/byte_axis.h"
#include "ui/models/texts.h"

namespace stashscope::ui {

namespace {

constexpr double left_margin = 72;
constexpr double right_margin = 16;
constexpr double top_margin = 30;
constexpr double bottom_margin = 24;
constexpr double zoom_step = 1.25;
/// Of the peak, so that its label has a place above it.
constexpr double room_above_peak = 1.14;
/// Bands lie behind grid and curves.
constexpr double band_opacity = 0.55;
/// Distance between grid lines, about.
constexpr double grid_pixels = 44;

/// The step after the last forward node; the end when there is no boundary.
double boundary_of(const Variant& variant) {
  const std::size_t steps = variant.forward_steps;
  return static_cast<double>(steps > 0 ? steps : variant.timeline.order.size());
}

StepAlignment align(const Variant& shown, const Variant& own) {
  return {boundary_of(shown), static_cast<double>(shown.timeline.order.size()), boundary_of(own),
          static_cast<double>(own.timeline.order.size())};
}

QColor faded(QColor colour, double alpha) {
  colour.setAlphaF(static_cast<float>(alpha));
  return colour;
}

}  // namespace

MemoryView::MemoryView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("memory_view"));
  setAccessibleName(tr("Memory over the steps"));
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(240, 96);
}

void MemoryView::set_study(std::shared_ptr<const Study> study, std::vector<std::int64_t> measured) {
  study_ = std::move(study);
  measured_ = std::move(measured);
  hovered_.reset();
  if (study_ != nullptr) {
    baseline_alignment_ = align(*study_->current, *study_->baseline);
    for (std::size_t i = 0; i < band_count; ++i) {
      band_edges_[i] = stacked(study_->current->bands, static_cast<Band>(i));
    }
    const std::int64_t most = std::max(current().peak_bytes, study_->baseline->timeline.peak_bytes);
    const std::int64_t run =
        measured_.empty() ? 0 : *std::max_element(measured_.begin(), measured_.end());
    top_ =
        std::llround(static_cast<double>(std::max<std::int64_t>({1, most, run})) * room_above_peak);
    axis_ = with_steps(axis_, std::max(1.0, static_cast<double>(current().order.size())));
    cursor_ = std::min(cursor_, static_cast<std::size_t>(axis_.steps) - 1);
  }
  update();
}

void MemoryView::set_cursor(std::size_t step) {
  cursor_ = step;
  const auto at = static_cast<double>(step);
  if (at < axis_.first || at >= axis_.last) {
    const double length = axis_.last - axis_.first;
    axis_ = with_range(axis_, at - length / 2, length);
  }
  update();
}

void MemoryView::show_all() { set_axis(whole(axis_)); }

QRectF MemoryView::plot() const {
  return rect().toRectF().adjusted(left_margin, top_margin, -right_margin, -bottom_margin);
}

double MemoryView::y_of(std::int64_t bytes) const {
  const QRectF area = plot();
  return area.bottom() - area.height() * static_cast<double>(bytes) / static_cast<double>(top_);
}

void MemoryView::set_axis(const StepAxis& axis) {
  axis_ = axis;
  update();
}

void MemoryView::paintEvent(QPaintEvent*) {
  const Theme theme = theme_of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.canvas);
  if (study_ == nullptr || current().order.empty()) return;
  painter.setRenderHint(QPainter::Antialiasing);
  paint_bands(painter, theme);
  paint_grid(painter, theme);
  paint_phases(painter, theme);
  painter.save();
  painter.setClipRect(plot().adjusted(-6, -6, 6, 1));
  paint_curves(painter, theme);
  paint_cursor(painter, theme);
  paint_peak(painter, theme);
  painter.restore();
  paint_readout(painter, theme, paint_key(painter, theme));
}

void MemoryView::paint_grid(QPainter& painter, const Theme& theme) const {
  const QRectF area = plot();
  const int count = std::max(2, static_cast<int>(area.height() / grid_pixels));
  for (const ByteTick& tick : byte_ticks(top_, count)) {
    const double y = std::round(y_of(tick.bytes)) + 0.5;
    painter.setPen(tick.bytes == 0 ? theme.muted : faded(theme.line, 0.7));
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    painter.setPen(theme.muted);
    painter.drawText(QRectF(0, y - 9, left_margin - 8, 18), Qt::AlignRight | Qt::AlignVCenter,
                     shown(tick.text));
  }
}

void MemoryView::paint_phases(QPainter& painter, const Theme& theme) const {
  const QRectF area = plot();
  const double boundary =
      std::clamp(axis_.x_of(baseline_alignment_.shown_boundary), area.left(), area.right());
  painter.setPen(QPen(theme.line, 1));
  if (boundary > area.left() && boundary < area.right()) {
    painter.drawLine(QPointF(boundary, area.top()), QPointF(boundary, area.bottom() + 6));
  }
  painter.setPen(theme.muted);
  const QRectF forward(area.left(), area.bottom() + 2, boundary - area.left(), bottom_margin - 4);
  const QRectF backward(boundary, forward.y(), area.right() - boundary, forward.height());
  if (forward.width() > 80) painter.drawText(forward, Qt::AlignCenter, tr("forward"));
  if (backward.width() > 80) painter.drawText(backward, Qt::AlignCenter, tr("backward"));
}

/// One pixel column after the other, by their extremes: two points where they differ.
QPolygonF MemoryView::outline(std::span<const std::int64_t> values,
                              const StepAlignment& alignment) const {
  const QRectF area = plot();
  const auto columns = static_cast<std::size_t>(std::max(1.0, area.width()));
  std::vector<double> bounds = even_bounds(axis_.first, axis_.last, columns);
  for (double& bound : bounds) bound = alignment.to_own(bound);
  QPolygonF points;
  double last = 0;
  const std::vector<Extremes> extremes = envelope(values, bounds);
  for (std::size_t i = 0; i < extremes.size(); ++i) {
    const double x = area.left() + static_cast<double>(i) + 0.5;
    const double high = y_of(extremes[i].high);
    const double low = y_of(extremes[i].low);
    const bool high_first = std::abs(high - last) <= std::abs(low - last);
    points << QPointF(x, high_first ? high : low);
    if (high != low) points << QPointF(x, high_first ? low : high);
    last = points.back().y();
  }
  return points;
}

/// Each band from the ground up, behind those below it.
void MemoryView::paint_bands(QPainter& painter, const Theme& theme) const {
  const QRectF area = plot();
  const double end = baseline_alignment_.shown_end;
  const StepAlignment same{end, end, end, end};
  painter.setPen(Qt::NoPen);
  for (std::size_t i = band_count; i-- > 0;) {
    QPolygonF filled = outline(band_edges_[i], same);
    filled << area.bottomRight() << area.bottomLeft();
    // Two bands that lie on each other must not mix.
    painter.setBrush(theme.canvas);
    painter.drawPolygon(filled);
    painter.setBrush(faded(band_colour(static_cast<Band>(i), theme.dark), band_opacity));
    painter.drawPolygon(filled);
  }
  painter.setBrush(Qt::NoBrush);
}

void MemoryView::paint_curves(QPainter& painter, const Theme& theme) const {
  const double end = baseline_alignment_.shown_end;
  const StepAlignment same{end, end, end, end};
  const QPolygonF now = outline(current().live_bytes, same);
  painter.setPen(QPen(theme.baseline, 1, Qt::DashLine));
  painter.drawPolyline(outline(study_->baseline->timeline.live_bytes, baseline_alignment_));
  painter.setPen(QPen(theme.accent, 1.6));
  painter.drawPolyline(now);
  if (measured_.empty()) return;
  painter.setPen(QPen(theme.measured, 2, Qt::DotLine));
  painter.drawPolyline(outline(measured_, same));
}

void MemoryView::paint_peak(QPainter& painter, const Theme& theme) const {
  const auto mark = [&](const Timeline& timeline, double step, const QColor& colour) {
    const QPointF at(axis_.x_of(step + 0.5), y_of(timeline.peak_bytes));
    painter.setPen(QPen(theme.canvas, 1.5));
    painter.setBrush(colour);
    painter.drawEllipse(at, 4.5, 4.5);
    return at;
  };
  const Timeline& before = study_->baseline->timeline;
  if (before.peak_bytes != current().peak_bytes) {
    mark(before, baseline_alignment_.to_shown(static_cast<double>(before.peak_step)),
         theme.baseline);
  }
  const QPointF at = mark(current(), static_cast<double>(current().peak_step), theme.accent);
  paint_peak_label(painter, theme, at);
}

/// Above the curve and beside the cursor; on a ground of its own, since other curves may pass
/// there.
void MemoryView::paint_peak_label(QPainter& painter, const Theme& theme, QPointF peak) const {
  const QString text = tr("peak %1").arg(bytes_text(current().peak_bytes));
  const QSizeF size(painter.fontMetrics().horizontalAdvance(text) + 10, 18);
  const bool fits_right = peak.x() + 6 + size.width() < plot().right();
  const double x = fits_right ? peak.x() + 6 : peak.x() - 6 - size.width();
  const double y = std::max(plot().top() - 5, peak.y() - 4 - size.height());
  painter.setPen(Qt::NoPen);
  painter.setBrush(faded(theme.canvas, 0.85));
  painter.drawRoundedRect(QRectF(QPointF(x, y), size), 4, 4);
  painter.setPen(theme.text);
  painter.drawText(QRectF(QPointF(x, y), size), Qt::AlignCenter, text);
}

void MemoryView::paint_cursor(QPainter& painter, const Theme& theme) const {
  const QRectF area = plot();
  if (hovered_) {
    const double x = axis_.x_of(static_cast<double>(*hovered_) + 0.5);
    painter.setPen(QPen(theme.muted, 1));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
  }
  const double x = axis_.x_of(static_cast<double>(cursor_) + 0.5);
  painter.setPen(QPen(theme.text, 1.2));
  painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.text);
  painter.drawPolygon(
      QPolygonF({{x - 5, area.top() - 6}, {x + 5, area.top() - 6}, {x, area.top()}}));
}

double MemoryView::paint_key(QPainter& painter, const Theme& theme) const {
  double x = left_margin;
  const auto entry = [&](const QPen& pen, const QString& text) {
    painter.setPen(pen);
    painter.drawLine(QPointF(x, 14), QPointF(x + 22, 14));
    painter.setPen(theme.muted);
    const double width = painter.fontMetrics().horizontalAdvance(text);
    painter.drawText(QRectF(x + 28, 5, width + 2, 18), Qt::AlignVCenter, text);
    x += 28 + width + 20;
  };
  entry(QPen(theme.baseline, 1, Qt::DashLine), tr("without plans"));
  entry(QPen(theme.accent, 1.6), tr("now"));
  if (!measured_.empty()) entry(QPen(theme.measured, 2, Qt::DotLine), tr("measured"));
  return x;
}

QString MemoryView::readout(std::size_t step) const {
  const NodeId node = current().order[step];
  QString text = tr("step %1   %2   %3")
                     .arg(step + 1)
                     .arg(shown(name_of(study_->graph(), study_->current->dataflow, node)),
                          bytes_text(current().live_bytes[step]));
  if (step < measured_.size()) text += tr("   measured %1").arg(bytes_text(measured_[step]));
  return text;
}

void MemoryView::paint_readout(QPainter& painter, const Theme& theme, double left) const {
  const std::size_t step = hovered_.value_or(cursor_);
  if (step >= current().order.size()) return;
  const QRectF line(left, 5, plot().right() - left, 18);
  painter.setPen(theme.text);
  painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(readout(step), Qt::ElideMiddle,
                                                    static_cast<int>(line.width())));
}

void MemoryView::resizeEvent(QResizeEvent*) {
  axis_.left = plot().left();
  axis_.right = std::max(axis_.left + 1, plot().right());
}

void MemoryView::wheelEvent(QWheelEvent* event) {
  const double notches = event->angleDelta().y() / 120.0;
  set_axis(zoomed(axis_, std::pow(zoom_step, notches), event->position().x()));
  event->accept();
}

void MemoryView::mousePressEvent(QMouseEvent* event) {
  pressed_at_ = event->position().x();
  dragged_to_ = pressed_at_;
  dragging_ = false;
}

void MemoryView::mouseMoveEvent(QMouseEvent* event) {
  if (study_ == nullptr) return;
  const double x = event->position().x();
  hovered_ = axis_.index_at(x);
  if (event->buttons().testFlag(Qt::LeftButton)) {
    if (std::abs(x - pressed_at_) >= QApplication::startDragDistance()) dragging_ = true;
    if (dragging_) set_axis(moved(axis_, x - dragged_to_));
    dragged_to_ = x;
  }
  update();
}

void MemoryView::mouseReleaseEvent(QMouseEvent* event) {
  const bool was_dragging = std::exchange(dragging_, false);
  if (study_ == nullptr || was_dragging || event->button() != Qt::LeftButton) return;
  Q_EMIT step_clicked(axis_.index_at(event->position().x()));
}

void MemoryView::mouseDoubleClickEvent(QMouseEvent*) { show_all(); }

void MemoryView::move_cursor(std::ptrdiff_t by) {
  const auto last = std::ssize(current().order) - 1;
  const auto to = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(cursor_) + by, 0, last);
  Q_EMIT step_clicked(static_cast<std::size_t>(to));
}

void MemoryView::keyPressEvent(QKeyEvent* event) {
  if (study_ == nullptr || current().order.empty()) return QWidget::keyPressEvent(event);
  const std::ptrdiff_t stride = event->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1;
  const auto all = std::ssize(current().order);
  switch (event->key()) {
    case Qt::Key_Left:
      return move_cursor(-stride);
    case Qt::Key_Right:
      return move_cursor(stride);
    case Qt::Key_Home:
      return move_cursor(-all);
    case Qt::Key_End:
      return move_cursor(all);
    case Qt::Key_P:
      Q_EMIT step_clicked(current().peak_step);
      return;
    case Qt::Key_Plus:
      return set_axis(zoomed(axis_, zoom_step, axis_.x_of(static_cast<double>(cursor_))));
    case Qt::Key_Minus:
      return set_axis(zoomed(axis_, 1 / zoom_step, axis_.x_of(static_cast<double>(cursor_))));
    case Qt::Key_0:
      return show_all();
    default:
      QWidget::keyPressEvent(event);
  }
}

void MemoryView::leaveEvent(QEvent*) {
  hovered_.reset();
  update();
}

}  // namespace stashscope::ui
