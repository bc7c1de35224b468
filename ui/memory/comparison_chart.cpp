#include "ui/memory/comparison_chart.h"

#include <QMouseEvent>
#include <QPainter>
#include <cmath>

#include "core/memory/envelope.h"
#include "core/study/facts/data_tables.h"
#include "ui/charts/chart_text.h"
#include "ui/charts/step_keys.h"
#include "ui/text/texts.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr double comparison_right_margin = 16;
/// Height of the plot as a multiple of the higher peak, so that the mark of the peak has room.
constexpr double comparison_room_above_peak = 1.08;
/// Space between the plot and the names of the phases, in pixels.
constexpr double above_phases = 3;
/// Charts lower than this, in lines of text, have no room for the key.
constexpr double least_height = 6;
/// If three or more slots are drawn within this many pixels of the cursor's line, the readout
/// describes the one with the most bytes.
constexpr double beside_line = 2;
constexpr std::array sides = {ComparisonChart::left, ComparisonChart::right};

/// The number of forward slots; without a backward pass, the number of all slots.
double boundary_of(const Variant& variant) {
  const std::size_t steps = variant.forward_slots;
  return static_cast<double>(steps > 0 ? steps : variant.timeline.order.size());
}

double end_of(const Variant& variant) { return static_cast<double>(variant.timeline.order.size()); }

StepAlignment align(const Variant& shown, const Variant& own) {
  return {boundary_of(shown), end_of(shown), boundary_of(own), end_of(own)};
}

/// The outline of a curve: the highest and the lowest value of each column of pixels.
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

KeyEntry key_of(ComparisonChart::Side side, const Theme& theme) {
  const bool is_left = side == ComparisonChart::left;
  return {KeyEntry::Mark::line,
          is_left ? ComparisonChart::tr("left") : ComparisonChart::tr("right"),
          ComparisonChart::colour_of(side, theme), 1.6, is_left ? Qt::SolidLine : Qt::DashLine};
}

}  // namespace

ComparisonChart::ComparisonChart(QWidget* parent) : QWidget(parent) {
  setObjectName(u"comparison_chart"_s);
  setAccessibleName(tr("Memory curves of both sides"));
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
  enable_keys(*this, !is_empty());
  if (is_empty()) return update();
  std::int64_t most = 1;
  for (const Side side : sides) {
    alignments_[side] = align(variant(left), variant(side));
    most = std::max(most, variant(side).timeline.peak_bytes);
  }
  top_ = std::llround(static_cast<double>(most) * comparison_room_above_peak);
  axis_ = with_steps(axis_, end_of(variant(left)));
  if (!same_model) {
    axis_ = whole(axis_);
    cursor_ = variant(left).timeline.peak_slot;
  }
  cursor_ = std::min(cursor_, variant(left).timeline.order.size() - 1);
  update();
}

KeyLayout ComparisonChart::key() const {
  const ChartRoom room = chart_room(fontMetrics());
  std::vector<KeyEntry> entries;
  if (height() >= least_height * room.line) {
    for (const Side side : sides) entries.push_back(key_of(side, theme_of(palette())));
  }
  return {entries, fontMetrics(), {room.numbers, width() - comparison_right_margin}};
}

QRectF ComparisonChart::plot() const {
  const ChartRoom room = chart_room(fontMetrics());
  return plot_inside(
      rect(), {room.numbers, key().height(), comparison_right_margin, room.line + above_phases});
}

double ComparisonChart::y_of(std::int64_t bytes) const {
  const QRectF area = plot();
  return area.bottom() - area.height() * static_cast<double>(bytes) / static_cast<double>(top_);
}

std::size_t ComparisonChart::step_at(Side side, double x) const {
  const double own = alignments_[side].to_own(axis_.step_of(x));
  return static_cast<std::size_t>(std::clamp(std::floor(own), 0.0, end_of(variant(side)) - 1));
}

std::size_t ComparisonChart::step_at_cursor(Side side) const {
  const double x = axis_.x_of(static_cast<double>(cursor_) + 0.5);
  const auto& bytes = variant(side).timeline.live_bytes;
  const std::size_t middle = step_at(side, x);
  const std::size_t first = step_at(side, x - beside_line);
  const std::size_t last = step_at(side, x + beside_line);
  if (last - first < 2) return middle;
  std::size_t most = middle;
  for (std::size_t slot = first; slot <= last; ++slot) {
    if (bytes[slot] > bytes[most]) most = slot;
  }
  return most;
}

Picture ComparisonChart::picture(const QString& title) {
  if (is_empty()) return {};
  return recorded(*this, title, [this](QPainter& painter) { paint(painter); });
}

PictureData ComparisonChart::picture_data() {
  if (is_empty()) return {};
  return [studies = studies_] { return comparison_table(*studies[left], *studies[right]); };
}

void ComparisonChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint(painter);
}

void ComparisonChart::paint(QPainter& painter) const {
  const Theme theme = theme_of(palette());
  painter.fillRect(rect(), theme.canvas);
  if (is_empty()) return;
  painter.setRenderHint(QPainter::Antialiasing);
  paint_byte_grid(painter, plot(), top_, theme);
  paint_phases(painter, theme);
  painter.save();
  painter.setClipRect(plot().adjusted(-6, -6, 6, 1));
  for (const Side side : sides) paint_side(painter, theme, side);
  paint_cursor(painter, theme);
  painter.restore();
  const KeyLayout key = this->key();
  key.paint(painter, theme);
  painter.setPen(theme.text);
  painter.drawText(key.text_line(), Qt::AlignRight | Qt::AlignVCenter, shown_readout());
}

void ComparisonChart::paint_phases(QPainter& painter, const Theme& theme) const {
  const QRectF area = plot();
  const double boundary =
      std::clamp(axis_.x_of(boundary_of(variant(left))), area.left(), area.right());
  painter.setPen(theme.line);
  painter.drawLine(QPointF(boundary, area.top()), QPointF(boundary, area.bottom() + 6));
  painter.setPen(theme.muted);
  const auto write = [&](double from, double to, const QString& text) {
    const QRectF room(from, area.bottom() + above_phases, to - from, chart_room(painter).line);
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
  const KeyEntry line = key_of(side, theme);
  painter.setPen(QPen(line.colour, line.width, line.style));
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(outline(timeline.live_bytes, alignments_[side], axis_,
                               [this](std::int64_t bytes) { return y_of(bytes); }));
  const double peak = alignments_[side].to_shown(static_cast<double>(timeline.peak_slot) + 0.5);
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
  return tr("slot %1: %2").arg(step_at_cursor(side) + 1).arg(bytes_text(bytes_at_cursor(side)));
}

std::int64_t ComparisonChart::bytes_at_cursor(Side side) const {
  return variant(side).timeline.live_bytes[step_at_cursor(side)];
}

/// The change from the left peak to the right one, as in the table beside the chart.
QString ComparisonChart::change_of_peaks() const {
  return change_text(variant(left).timeline.peak_bytes, variant(right).timeline.peak_bytes);
}

QString ComparisonChart::readout() const { return is_empty() ? QString() : readouts().front(); }

QString ComparisonChart::shown_readout() const {
  if (is_empty()) return {};
  return longest_that_fits(readouts(), fontMetrics(), key().text_line().width());
}

QStringList ComparisonChart::readouts() const {
  const QString before = bytes_text(bytes_at_cursor(left));
  const QString after = bytes_text(bytes_at_cursor(right));
  const QString change = change_text(bytes_at_cursor(left), bytes_at_cursor(right));
  return {tr("left %1 → right %2 (%3)").arg(readout(left), readout(right), change),
          u"%1 → %2 (%3)"_s.arg(before, after, change), u"%1 → %2"_s.arg(before, after),
          tr("peak %1").arg(change_of_peaks())};
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
  add_step_keys(*this, {[this](std::ptrdiff_t by) { move_cursor(by); },
                        [this](double factor) {
                          const double at = axis_.x_of(static_cast<double>(cursor_) + 0.5);
                          set_axis(zoomed(axis_, factor, at));
                        },
                        [this](double widths) {
                          set_axis(moved(axis_, -widths * (axis_.right - axis_.left)));
                        },
                        [this] { set_axis(whole(axis_)); }});
  enable_keys(*this, false);
}

}  // namespace stashscope::ui
