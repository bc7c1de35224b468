#include "ui/memory/memory_view.h"

#include <QPainter>
#include <cmath>

#include "core/study/facts/data_tables.h"
#include "ui/charts/chart_text.h"
#include "ui/memory/buffer_facts.h"
#include "ui/text/texts.h"
#include "ui/theme/focus_frame.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr double memory_right_margin = 16;
/// Space between the plot and the texts below the plot, in pixels.
constexpr double above_axis = 6;
/// Views lower than this, in lines of text, have a shorter key and one row of texts below the plot.
constexpr double low_view = 9.5;
/// Views lower than this, in lines of text, have no line about the cursor.
constexpr double lower_view = 6;
/// Views lower than this, in lines of text, have no key.
constexpr double lowest_view = 4.5;
/// Lines of text that a plot needs together with its axis and the line about the cursor.
constexpr double lines_of_plot = 7.5;
/// Height of the plot as a multiple of the peak, so that the label of the peak has room.
constexpr double memory_room_above_peak = 1.14;

/// Fits the axis to the curves and keeps the visible share of the axis.
StepAxis fitted(StepAxis axis, const MemoryCurves& curves, AxisUnit unit) {
  const double length = length_of(curves, unit);
  const auto steps = static_cast<double>(curves.current->bytes.size());
  axis.shortest =
      unit == AxisUnit::steps ? fewest_steps : length * std::min(1.0, 0.1 / std::max(1.0, steps));
  return with_steps(axis, length);
}

}  // namespace

MemoryView::MemoryView(QWidget* parent) : QWidget(parent) {
  setObjectName(u"memory_view"_s);
  setAccessibleName(tr("Memory curve"));
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(240, 48);
  add_keys();
}

void MemoryView::set_curves(MemoryCurves curves) {
  // The id of the outlined buffer is not valid in another variant.
  if (curves.current != curves_.current) marked_ = BufferId();
  curves_ = std::move(curves);
  hovered_.reset();
  drag_.cancel();
  enable_keys(*this, !curves_.empty());
  if (!curves_.empty()) {
    if (!can_show_time()) look_.unit = AxisUnit::steps;
    top_ = std::llround(static_cast<double>(highest_of(curves_)) * memory_room_above_peak) + 1;
    axis_ = fitted(axis_, curves_, look_.unit);
    cursor_ = std::min(cursor_, curves_.current->bytes.size() - 1);
    prepare_tensors();
  }
  lay_out();
}

/// Computes the tensors only when they are shown, because the computation takes time.
void MemoryView::prepare_tensors() {
  if (!shows_tensors() || curves_.study == nullptr || curves_.tensors != nullptr) return;
  curves_.tensors = tensors_of(*curves_.study);
}

void MemoryView::set_look(MemoryLook look) {
  if (!can_show_time()) look.unit = AxisUnit::steps;
  if (look == look_) return;
  if (!curves_.empty() && look.unit != look_.unit) {
    const CurvePlace before = place();
    const double first = before.step_at(axis_.first);
    const double last = before.step_at(axis_.last);
    const bool was_all = axis_.first <= 0 && axis_.last >= axis_.steps;
    look_.unit = look.unit;
    axis_ = fitted(axis_, curves_, look.unit);
    const double begin = place().position_of(first);
    axis_ = was_all ? whole(axis_) : with_range(axis_, begin, place().position_of(last) - begin);
  }
  look_ = look;
  if (!curves_.empty()) prepare_tensors();
  lay_out();
  Q_EMIT look_changed();
}

bool MemoryView::can_show_time() const {
  return curves_.empty() || curves_.current->clock.total() > 0;
}

void MemoryView::set_cursor(std::size_t slot) {
  cursor_ = slot;
  if (curves_.empty()) return;
  const double at = place().position_of(static_cast<double>(slot) + 0.5);
  if (at < axis_.first || at >= axis_.last) {
    const double length = axis_.last - axis_.first;
    set_axis(with_range(axis_, at - length / 2, length));
  }
  update();
}

NodeId MemoryView::maker_of(BufferId buffer) const {
  if (curves_.study == nullptr) return {};
  const Variant& variant = *curves_.study->current;
  if (!buffer.valid() || !variant.timeline.buffers.contains(buffer)) return {};
  const Buffer& made = variant.timeline.buffers[buffer];
  return made.state ? NodeId() : variant.dataflow.topology.producer[made.root];
}

void MemoryView::mark(BufferId buffer) {
  marked_ = buffer;
  redraw();
}

void MemoryView::mark_made_by(NodeId node) {
  if (curves_.study == nullptr || curves_.tensors == nullptr) return;
  const IdVector<BufferId, Buffer>& buffers = curves_.study->current->timeline.buffers;
  if (node.valid() && maker_of(marked_) == node) return;
  marked_ = BufferId();
  for (const TensorBand& band : curves_.tensors->bands.bands()) {
    const bool is_larger = !marked_.valid() || band.bytes > buffers[marked_].bytes;
    if (node.valid() && is_larger && maker_of(band.buffer) == node) marked_ = band.buffer;
  }
  redraw();
}

void MemoryView::show_life(std::optional<SlotRange> life) {
  life_ = life;
  update();
}

void MemoryView::show_all() { set_axis(whole(axis_)); }

double MemoryView::y_of(std::int64_t bytes) const { return frame().y_of(bytes); }

std::size_t MemoryView::step_at(double x) const {
  const CurveExtremes& bytes = curves_.current->bytes;
  const CurvePlace own = place();
  const double first = own.step_at(axis_.step_of(std::floor(x)));
  const double last = own.step_at(axis_.step_of(std::floor(x) + 1));
  constexpr double several = 2;
  if (last - first >= several) return bytes.highest(steps_between(first, last, bytes.size()));
  const double at = own.step_at(axis_.step_of(x));
  return steps_between(at, at, bytes.size()).begin;
}

std::optional<TensorBand> MemoryView::tensor_at(QPointF point) const {
  if (curves_.empty() || !shows_tensors() || curves_.tensors == nullptr) return std::nullopt;
  if (!plot_.contains(point)) return std::nullopt;
  const double share = (plot_.bottom() - point.y()) / plot_.height();
  const TensorBands& bands = curves_.tensors->bands;
  const auto found = bands.at(step_at(point.x()), std::llround(share * static_cast<double>(top_)));
  if (!found) return std::nullopt;
  return bands.bands()[found->band];
}

bool MemoryView::is_workspace_at(QPointF point) const {
  if (curves_.empty() || curves_.with_workspace == nullptr || !plot_.contains(point)) return false;
  const std::size_t step = step_at(point.x());
  if (step >= curves_.with_workspace->bytes.size()) return false;
  return point.y() <= y_of(curves_.measured->bytes[step]) &&
         point.y() >= y_of(curves_.with_workspace->bytes[step]);
}

/// Lays out and redraws the view. Called when size, font, theme, curves or look have changed.
void MemoryView::lay_out() {
  const ChartRoom room = chart_room(fontMetrics());
  const double lines = height() / room.line;
  axis_rows_ = lines < low_view ? 1 : 2;
  const double most_rows = lines < low_view ? 1 : lines - lines_of_plot;
  key_ = lines < lowest_view || curves_.empty()
             ? KeyLayout()
             : KeyLayout(key_of(curves_, look_, theme_of(palette())), fontMetrics(),
                         {room.numbers, width() - memory_right_margin,
                          static_cast<std::size_t>(most_rows), lines >= lower_view});
  place_plot(rect());
  redraw();
}

/// Lays out a picture of the view. A picture has the whole key, so the page is higher than the view
/// if the key needs more rows. Returns the size of the page.
QSize MemoryView::lay_out_picture() {
  const double height_before = key_.height();
  key_ = KeyLayout(key_of(curves_, look_, theme_of(palette())), fontMetrics(),
                   {chart_room(fontMetrics()).numbers, width() - memory_right_margin});
  const double more = std::max(0.0, key_.height() - height_before);
  const QRect page = rect().adjusted(0, 0, 0, static_cast<int>(std::ceil(more)));
  place_plot(page);
  return page.size();
}

void MemoryView::place_plot(const QRect& page) {
  const ChartRoom room = chart_room(fontMetrics());
  plot_ = plot_inside(page, {room.numbers, key_.height(), memory_right_margin,
                             axis_rows_ * room.line + above_axis});
  axis_.left = plot_.left();
  axis_.right = std::max(axis_.left + 1, plot_.right());
}

void MemoryView::redraw() {
  is_stale_ = true;
  update();
}

void MemoryView::set_axis(const StepAxis& axis) {
  axis_ = axis;
  redraw();
}

MemoryFrame MemoryView::frame() const {
  return {curves_, look_, axis_, top_, plot_, theme_of(palette()), axis_rows_};
}

void MemoryView::paint_static_layer() {
  const double ratio = devicePixelRatioF();
  const QSize wanted = size() * ratio;
  if (static_layer_.size() != wanted) static_layer_ = QPixmap(wanted);
  static_layer_.setDevicePixelRatio(ratio);
  is_stale_ = false;
  const MemoryFrame around = frame();
  static_layer_.fill(around.theme.canvas);
  QPainter painter(&static_layer_);
  painter.setFont(font());
  const QSize pixels = (plot_.size() * ratio).toSize();
  if (pixels.width() > 0 && pixels.height() > 0) {
    const DataLayer data{curves_, look_, axis_, top_, marked_, around.theme};
    painter.drawImage(plot_, data.draw(pixels, ratio));
  }
  paint_surroundings(painter);
}

void MemoryView::paint_surroundings(QPainter& painter) const {
  const MemoryFrame around = frame();
  painter.setRenderHint(QPainter::Antialiasing);
  paint_byte_grid(painter, plot_, top_, around.theme);
  around.paint_axis(painter);
  key_.paint(painter, around.theme);
}

void MemoryView::paint_readout(QPainter& painter) const {
  const QRectF line = key_.text_line();
  if (line.isEmpty()) return;
  painter.setPen(theme_of(palette()).text);
  painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter,
                   in_one_line(readout(), fontMetrics(), line.width()));
}

/// The data is drawn as an image, as on the screen, so that the size of the picture does not depend
/// on the number of tensors. The cursor and the line about its slot are left out, because they say
/// nothing about the step.
Picture MemoryView::picture(const QString& title) {
  if (curves_.empty()) return {};
  const LightPalette light(*this);
  const QSize page = lay_out_picture();
  const Picture around = recorded(*this, title, page, [this](QPainter& painter) {
    paint_surroundings(painter);
    painter.save();
    painter.setClipRect(room_of_marks());
    frame().paint_peaks(painter);
    painter.restore();
  });
  constexpr double ratio = 2;
  const auto paint = [curves = curves_, look = look_, axis = axis_, top = top_, marked = marked_,
                      theme = theme_of(palette()), plot = plot_, around](QPainter& painter) {
    const DataLayer data{curves, look, axis, top, marked, theme};
    painter.fillRect(QRectF(QPointF(), around.size), theme.canvas);
    painter.drawImage(plot, data.draw((plot.size() * ratio).toSize(), ratio));
    around.paint(painter);
  };
  lay_out();
  return {title, around.size, paint, {}};
}

PictureData MemoryView::picture_data() {
  if (curves_.empty() || curves_.study == nullptr) return {};
  return [study = curves_.study] { return curve_table(*study); };
}

void MemoryView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const MemoryFrame around = frame();
  if (curves_.empty()) {
    painter.fillRect(rect(), around.theme.canvas);
    painter.setPen(around.theme.muted);
    painter.drawText(rect(), Qt::AlignCenter, tr("Open a model to see its memory over the step."));
    return;
  }
  if (is_stale_ || static_layer_.devicePixelRatio() != devicePixelRatioF()) paint_static_layer();
  painter.drawPixmap(0, 0, static_layer_);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.save();
  painter.setClipRect(room_of_marks());
  if (hovered_) around.paint_hover(painter, step_at(hovered_->x()));
  around.paint_cursor(painter, cursor_);
  if (life_) around.paint_life(painter, life_->first, life_->last);
  around.paint_peaks(painter, around.x_of(cursor_));
  if (drag_.is_brush()) around.paint_brush(painter, drag_.pressed_at(), drag_.dragged_to());
  painter.restore();
  paint_readout(painter);
  painter.setRenderHint(QPainter::Antialiasing, false);
  paint_focus_frame(painter, *this);
}

/// Describes the tensor or slot under the pointer. If the pointer is not over the view, describes
/// the outlined tensor if it is alive at the cursor, otherwise the slot of the cursor.
QStringList MemoryView::readout() const {
  if (hovered_) {
    const auto tensor = tensor_at(*hovered_);
    return tensor ? tensor_facts(*tensor) : step_facts(step_at(hovered_->x()));
  }
  if (shows_tensors() && marked_.valid() && curves_.tensors != nullptr) {
    for (const StackedTensor& each : curves_.tensors->bands.stack(cursor_)) {
      const TensorBand& band = curves_.tensors->bands.bands()[each.band];
      if (band.buffer == marked_) return tensor_facts(band);
    }
  }
  return step_facts(cursor_);
}

QStringList MemoryView::step_facts(std::size_t step) const {
  QStringList parts = {tr("slot %1").arg(step + 1)};
  if (look_.unit == AxisUnit::time) {
    parts << time_text(curves_.current->clock.time_at(static_cast<double>(step)) / 1e3);
  }
  if (curves_.study != nullptr) {
    const Variant& variant = *curves_.study->current;
    parts << shown(name_of(curves_.study->graph(), variant.dataflow, variant.timeline.order[step]));
  }
  parts << bytes_text(curves_.current->bytes[step]);
  if (curves_.predicted_reserved != nullptr) {
    const std::int64_t reserved = curves_.predicted_reserved->bytes[step];
    parts << tr("reserved %1").arg(bytes_text(reserved))
          << tr("%1 beyond the tensors").arg(bytes_text(reserved - curves_.current->bytes[step]));
  }
  if (curves_.measured != nullptr && step < curves_.measured->bytes.size()) {
    parts << tr("measured %1").arg(bytes_text(curves_.measured->bytes[step]));
  }
  if (curves_.with_workspace != nullptr && step < curves_.with_workspace->bytes.size()) {
    parts << tr("%1 with workspaces").arg(bytes_text(curves_.with_workspace->bytes[step]));
  }
  return parts;
}

QStringList MemoryView::tensor_facts(const TensorBand& band) const {
  const QString life = band.persistent
                           ? tr("persistent")
                           : tr("slots %1 – %2").arg(band.first_slot + 1).arg(band.last_slot + 1);
  if (curves_.study == nullptr) return {bytes_text(band.bytes), life};
  return buffer_facts(*curves_.study, band.buffer) << life;
}

}  // namespace stashscope::ui
