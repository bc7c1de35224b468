// Mouse and keyboard input of the map of the arena.

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/charts/step_keys.h"
#include "ui/memory/arena_map.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

bool ArenaMap::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto& help = static_cast<const QHelpEvent&>(*event);
  const QStringList facts = facts_at(help.pos());
  if (facts.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help.globalPos(), facts.join(u'\n'), this);
  }
  return true;
}

void ArenaMap::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  lay_out();
}

void ArenaMap::resizeEvent(QResizeEvent*) { lay_out(); }

void ArenaMap::wheelEvent(QWheelEvent* event) {
  const double notches = event->angleDelta().y() / 120.0;
  set_axis(zoomed(axis_, std::pow(zoom_step, notches), event->position().x()));
  event->accept();
}

void ArenaMap::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  drag_.press(event->position().x(), event->modifiers().testFlag(Qt::ShiftModifier));
}

void ArenaMap::mouseMoveEvent(QMouseEvent* event) {
  if (arena_.empty()) return;
  if (!is_waiting_) hovered_ = event->position();
  if (event->buttons().testFlag(Qt::LeftButton)) {
    if (const auto panned = drag_.move(axis_, event->position().x())) set_axis(*panned);
  }
  Q_EMIT pointed_at(facts_at(event->position()));
  update();
}

void ArenaMap::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const AxisDrag::Kind drag = drag_.release();
  if (arena_.empty()) return;
  update();
  if (drag == AxisDrag::Kind::click && !is_waiting_) click(event->position());
  if (drag != AxisDrag::Kind::brush) return;
  if (const auto range = drag_.zoomed_to(axis_, event->position().x())) set_axis(*range);
}

void ArenaMap::click(QPointF at) {
  const std::size_t slot = slot_at(at.x());
  const ArenaPiece* const piece = piece_at(at);
  if (piece != nullptr && piece->buffer.valid()) {
    Q_EMIT tensor_chosen(slot, piece->buffer);
  } else {
    Q_EMIT slot_clicked(slot);
  }
}

void ArenaMap::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) show_all();
}

void ArenaMap::leaveEvent(QEvent*) {
  hovered_.reset();
  Q_EMIT pointed_at({});
  update();
}

void ArenaMap::move_cursor(std::ptrdiff_t by) {
  const auto last = std::ssize(arena_.curves.current->bytes.values()) - 1;
  const auto to = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(cursor_) + by, 0, last);
  Q_EMIT slot_clicked(static_cast<std::size_t>(to));
  tell_marked();
}

/// The facts about the outlined tensor replace the facts about the item under a resting pointer.
void ArenaMap::tell_marked() {
  hovered_.reset();
  const ArenaPiece* const marked = marked_piece();
  Q_EMIT pointed_at(marked == nullptr ? QStringList() : facts_of(*marked));
  update();
}

/// Chooses the tensor above or below the outlined tensor at the cursor. If no tensor is outlined
/// there, chooses the largest tensor.
void ArenaMap::walk_stack(int by) {
  std::vector<const ArenaPiece*> stack;
  for (const ArenaPiece& each : arena_.arena->pieces) {
    if (is_there(each, cursor_) && each.buffer.valid()) stack.push_back(&each);
  }
  if (stack.empty()) return;
  std::ranges::sort(stack, {}, [](const ArenaPiece* each) { return each->offset; });
  const auto at = std::ranges::find(stack, marked_, [](const auto* each) { return each->buffer; });
  const auto to =
      at == stack.end()
          ? std::ranges::max_element(stack, {}, [](const ArenaPiece* each) { return each->bytes; })
          : stack.begin() +
                std::clamp<std::ptrdiff_t>(at - stack.begin() + by, 0, std::ssize(stack) - 1);
  Q_EMIT tensor_chosen(cursor_, (*to)->buffer);
  tell_marked();
}

void ArenaMap::add_keys() {
  add_step_keys(
      *this,
      {[this](std::ptrdiff_t by) { move_cursor(by); },
       [this](double factor) {
         set_axis(zoomed(axis_, factor, axis_.x_of(static_cast<double>(cursor_) + 0.5)));
       },
       [this](double widths) { set_axis(moved(axis_, -widths * (axis_.right - axis_.left))); },
       [this] { show_all(); }});
  add_key_action(*this, tr("Tensor above"), {Qt::Key_Up}, [this] { walk_stack(1); });
  add_key_action(*this, tr("Tensor below"), {Qt::Key_Down}, [this] { walk_stack(-1); });
  add_key_action(*this, tr("Go to the peak"), {Qt::Key_P},
                 [this] { Q_EMIT slot_clicked(arena_.curves.current->peak_slot); });
  enable_keys(*this, false);
}

}  // namespace stashscope::ui
