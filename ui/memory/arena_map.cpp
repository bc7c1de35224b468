#include "ui/memory/arena_map.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/base/csv.h"
#include "ui/charts/chart_text.h"
#include "ui/memory/buffer_facts.h"
#include "ui/text/texts.h"
#include "ui/theme/focus_frame.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double above_plot = 10;  // the triangle of the cursor
constexpr double right_of_plot = 16;
constexpr double below_plot = 6;
/// Maps lower than this, in lines of text, have one row of texts below the plot.
constexpr double least_lines_for_two_rows = 9.5;
/// Opacity of an arena that is out of date.
constexpr double share_while_waiting = 0.4;

}  // namespace

ArenaMap::ArenaMap(QWidget* parent) : QWidget(parent) {
  setObjectName(u"arena_map"_s);
  setAccessibleName(tr("Static arena of the step"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(240, 40);
  add_keys();
}

void ArenaMap::set_arena(ArenaPicture arena) {
  // The id of the outlined buffer is not valid in another variant.
  if (arena.curves.current != arena_.curves.current) marked_ = BufferId();
  arena_ = std::move(arena);
  is_waiting_ = false;
  hovered_.reset();
  drag_.cancel();
  enable_keys(*this, !arena_.empty());
  if (!arena_.empty()) {
    const std::size_t slots = arena_.curves.current->bytes.size();
    axis_ = with_steps(axis_, static_cast<double>(slots));
    cursor_ = std::min(cursor_, slots - 1);
  }
  lay_out();
}

void ArenaMap::wait() {
  is_waiting_ = true;
  hovered_.reset();
  enable_keys(*this, false);
  update();
}

void ArenaMap::set_colouring(MemoryLook::Colouring colouring) {
  if (look_.colouring == colouring) return;
  look_.colouring = colouring;
  redraw();
}

void ArenaMap::set_cursor(std::size_t slot) {
  cursor_ = slot;
  if (arena_.empty()) return;
  const double at = static_cast<double>(slot) + 0.5;
  if (at < axis_.first || at >= axis_.last) {
    const double length = axis_.last - axis_.first;
    set_axis(with_range(axis_, at - length / 2, length));
  }
  update();
}

void ArenaMap::mark(BufferId buffer) {
  marked_ = buffer;
  update();
}

void ArenaMap::show_all() { set_axis(whole(axis_)); }

void ArenaMap::set_axis(const StepAxis& axis) {
  axis_ = axis;
  redraw();
}

void ArenaMap::redraw() {
  is_stale_ = true;
  update();
}

void ArenaMap::lay_out() {
  const ChartRoom room = chart_room(fontMetrics());
  axis_rows_ = height() < least_lines_for_two_rows * room.line ? 1 : 2;
  plot_ = plot_inside(
      rect(), {room.numbers, above_plot, right_of_plot, axis_rows_ * room.line + below_plot});
  axis_.left = plot_.left();
  axis_.right = std::max(axis_.left + 1, plot_.right());
  redraw();
}

std::int64_t ArenaMap::top() const {
  return std::max<std::int64_t>(1, arena_.arena->capacity_bytes);
}

MemoryFrame ArenaMap::frame() const {
  return {arena_.curves, look_, axis_, top(), plot_, theme_of(palette()), axis_rows_};
}

std::size_t ArenaMap::slot_at(double x) const {
  const double pixel = std::floor(x);
  return shown_slot(arena_.curves.current->bytes, axis_.step_of(pixel), axis_.step_of(pixel + 1));
}

/// The byte in the middle of a pixel.
std::int64_t ArenaMap::byte_at(double y) const {
  const double share = (plot_.bottom() - std::floor(y) - 0.5) / plot_.height();
  return static_cast<std::int64_t>(std::floor(share * static_cast<double>(top())));
}

const ArenaPiece* ArenaMap::piece_at(QPointF point) const {
  if (arena_.empty() || !plot_.contains(point)) return nullptr;
  const std::size_t slot = slot_at(point.x());
  const std::int64_t byte = byte_at(point.y());
  const auto found = std::ranges::find_if(arena_.arena->pieces, [&](const ArenaPiece& each) {
    return is_there(each, slot) && each.offset <= byte && byte < each.offset + each.bytes;
  });
  return found == arena_.arena->pieces.end() ? nullptr : &*found;
}

QRectF ArenaMap::rectangle(const ArenaPiece& piece) const {
  const MemoryFrame around = frame();
  return {QPointF(axis_.x_of(piece.first_slot), around.y_of(piece.offset + piece.bytes)),
          QPointF(axis_.x_of(piece.last_slot + 1.0), around.y_of(piece.offset))};
}

const ArenaPiece* ArenaMap::marked_piece() const {
  if (arena_.empty() || !marked_.valid()) return nullptr;
  const auto found = std::ranges::find(arena_.arena->pieces, marked_, &ArenaPiece::buffer);
  return found == arena_.arena->pieces.end() ? nullptr : &*found;
}

QStringList ArenaMap::facts_at(QPointF point) const {
  if (arena_.empty() || is_waiting_ || !plot_.contains(point)) return {};
  const ArenaPiece* const piece = piece_at(point);
  if (piece == nullptr) return gap_facts(slot_at(point.x()), byte_at(point.y()));
  return facts_of(*piece);
}

QStringList ArenaMap::facts_of(const ArenaPiece& piece) const {
  const Study& study = *arena_.curves.study;
  QStringList facts =
      piece.buffer.valid()
          ? buffer_facts(study, piece.buffer)
          : QStringList{shown(piece_name(study, *study.current, piece)), bytes_text(piece.bytes)};
  facts << tr("at offset %1").arg(bytes_text(piece.offset));
  if (piece.first_slot == piece.last_slot) return facts << tr("slot %1").arg(piece.first_slot + 1);
  return facts << tr("slots %1 – %2").arg(piece.first_slot + 1).arg(piece.last_slot + 1);
}

/// @pre in this slot, no tensor covers the byte
QStringList ArenaMap::gap_facts(std::size_t slot, std::int64_t byte) const {
  std::int64_t from = 0;
  std::int64_t to = arena_.arena->capacity_bytes;
  for (const ArenaPiece& each : arena_.arena->pieces) {
    if (!is_there(each, slot)) continue;
    if (each.offset > byte) {
      to = std::min(to, each.offset);
    } else {
      from = std::max(from, each.offset + each.bytes);
    }
  }
  return {tr("free: %1").arg(bytes_text(to - from)), tr("at offset %1").arg(bytes_text(from)),
          tr("slot %1").arg(slot + 1)};
}

void ArenaMap::paint_layer() {
  const double ratio = devicePixelRatioF();
  const QSize wanted = size() * ratio;
  if (layer_.size() != wanted) layer_ = QPixmap(wanted);
  layer_.setDevicePixelRatio(ratio);
  const Theme theme = theme_of(palette());
  layer_.fill(theme.canvas);
  is_stale_ = false;
  QPainter painter(&layer_);
  painter.setFont(font());
  const QSize pixels = (plot_.size() * ratio).toSize();
  if (pixels.width() > 0 && pixels.height() > 0) {
    const ArenaLayer data{arena_, look_.colouring, axis_, top(), theme};
    painter.drawImage(plot_, data.draw(pixels, ratio));
  }
  paint_surroundings(painter);
}

void ArenaMap::paint_surroundings(QPainter& painter) const {
  const MemoryFrame around = frame();
  painter.setRenderHint(QPainter::Antialiasing);
  paint_byte_grid(painter, plot_, top(), around.theme);
  around.paint_axis(painter);
  const double bound = around.y_of(arena_.arena->load_bound_bytes);
  painter.setPen(QPen(around.theme.text, 1, Qt::DashLine));
  painter.drawLine(QPointF(plot_.left(), bound), QPointF(plot_.right(), bound));
}

/// Paints the outlines of the hovered and the marked tensor.
void ArenaMap::paint_marks(QPainter& painter) const {
  painter.setBrush(Qt::NoBrush);
  const Theme theme = theme_of(palette());
  if (const ArenaPiece* const hovered = hovered_ ? piece_at(*hovered_) : nullptr) {
    painter.setPen(QPen(theme.text, 1));
    painter.drawRect(rectangle(*hovered));
  }
  if (const ArenaPiece* const marked = marked_piece()) {
    // The outline has two colours. At least one of them stands out, whatever the colour of the
    // tensor.
    const QRectF around = rectangle(*marked).adjusted(-1, -1, 1, 1);
    painter.setPen(QPen(theme.canvas, 4));
    painter.drawRect(around);
    painter.setPen(QPen(theme.accent, 2));
    painter.drawRect(around);
  }
}

void ArenaMap::paint_waiting(QPainter& painter) const {
  painter.fillRect(rect(), theme_of(palette()).canvas);
  painter.setOpacity(share_while_waiting);
  painter.drawPixmap(0, 0, layer_);
  painter.setOpacity(1);
  paint_focus_frame(painter, *this);
}

void ArenaMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (arena_.empty()) {
    painter.fillRect(rect(), theme_of(palette()).canvas);
    return paint_focus_frame(painter, *this);
  }
  if (is_stale_ || layer_.devicePixelRatio() != devicePixelRatioF()) paint_layer();
  if (is_waiting_) return paint_waiting(painter);
  painter.drawPixmap(0, 0, layer_);
  const MemoryFrame around = frame();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.save();
  painter.setClipRect(plot_.adjusted(-6, -6, 6, 1));
  around.paint_cursor(painter, cursor_);
  if (drag_.is_brush()) around.paint_brush(painter, drag_.pressed_at(), drag_.dragged_to());
  painter.setRenderHint(QPainter::Antialiasing, false);
  paint_marks(painter);
  painter.restore();
  painter.setRenderHint(QPainter::Antialiasing, false);
  paint_focus_frame(painter, *this);
}

/// The data is drawn as an image, as on the screen, so that the size of the picture does not depend
/// on the number of tensors.
Picture ArenaMap::picture(const QString& title) {
  if (arena_.empty()) return {};
  const LightPalette light(*this);
  const Picture around =
      recorded(*this, title, [this](QPainter& painter) { paint_surroundings(painter); });
  constexpr double ratio = 2;
  const auto paint = [arena = arena_, colouring = look_.colouring, axis = axis_, top = top(),
                      theme = theme_of(palette()), plot = plot_, around](QPainter& painter) {
    const ArenaLayer data{arena, colouring, axis, top, theme};
    painter.fillRect(QRectF(QPointF(), around.size), theme.canvas);
    painter.drawImage(plot, data.draw((plot.size() * ratio).toSize(), ratio));
    around.paint(painter);
  };
  return {title, around.size, paint, {}};
}

PictureData ArenaMap::picture_data() {
  if (arena_.empty()) return {};
  return [arena = arena_.arena, study = arena_.curves.study] {
    std::string table = csv_record({"tensor", "bytes", "offset", "first slot", "last slot"});
    for (const ArenaPiece& each : arena->pieces) {
      table += csv_record({piece_name(*study, *study->current, each), std::to_string(each.bytes),
                           std::to_string(each.offset), std::to_string(each.first_slot + 1),
                           std::to_string(each.last_slot + 1)});
    }
    return table;
  };
}

}  // namespace stashscope::ui
