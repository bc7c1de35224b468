// Mouse and keyboard input of the memory view.

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <cmath>

#include "ui/charts/step_keys.h"
#include "ui/memory/memory_view.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

bool MemoryView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || curves_.empty()) return QWidget::event(event);
  const auto& help = static_cast<const QHelpEvent&>(*event);
  const auto show = [&](const QStringList& facts) {
    QToolTip::showText(help.globalPos(), facts.join(u'\n'), this);
  };
  if (key_.area().contains(help.pos())) {
    show(whole_key());
  } else if (is_workspace_at(help.pos())) {
    show(step_facts(step_at(help.pos().x())));
  } else if (const auto tensor = tensor_at(help.pos())) {
    show(tensor_facts(*tensor));
  } else {
    QToolTip::hideText();
  }
  return true;
}

QStringList MemoryView::whole_key() const {
  QStringList texts;
  for (const KeyEntry& each : key_of(curves_, look_, theme_of(palette()))) texts << each.text;
  return texts;
}

void MemoryView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  lay_out();
}

void MemoryView::resizeEvent(QResizeEvent*) { lay_out(); }

void MemoryView::wheelEvent(QWheelEvent* event) {
  const double notches = event->angleDelta().y() / 120.0;
  set_axis(zoomed(axis_, std::pow(zoom_step, notches), event->position().x()));
  event->accept();
}

void MemoryView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  drag_.press(event->position().x(), event->modifiers().testFlag(Qt::ShiftModifier));
}

void MemoryView::mouseMoveEvent(QMouseEvent* event) {
  if (curves_.empty()) return;
  hovered_ = event->position();
  if (event->buttons().testFlag(Qt::LeftButton)) {
    if (const auto panned = drag_.move(axis_, event->position().x())) set_axis(*panned);
  }
  update();
}

void MemoryView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const AxisDrag::Kind drag = drag_.release();
  if (curves_.empty()) return;
  update();
  if (drag == AxisDrag::Kind::click) click(event->position());
  if (drag != AxisDrag::Kind::brush) return;
  if (const auto range = drag_.zoomed_to(axis_, event->position().x())) set_axis(*range);
}

void MemoryView::click(QPointF at) {
  const std::size_t slot = step_at(at.x());
  const auto tensor = tensor_at(at);
  if (tensor) {
    Q_EMIT tensor_chosen(slot, tensor->buffer);
  } else {
    Q_EMIT slot_clicked(slot);
  }
}

void MemoryView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) show_all();
}

void MemoryView::leaveEvent(QEvent*) {
  hovered_.reset();
  update();
}

void MemoryView::move_cursor(std::ptrdiff_t by) {
  const auto last = std::ssize(curves_.current->bytes.values()) - 1;
  const auto to = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(cursor_) + by, 0, last);
  Q_EMIT slot_clicked(static_cast<std::size_t>(to));
}

/// Chooses the tensor above or below the outlined tensor at the cursor. If no tensor is outlined
/// there, chooses the largest tensor.
void MemoryView::walk_stack(int by) {
  if (!shows_tensors() || curves_.tensors == nullptr) return;
  const TensorBands& bands = curves_.tensors->bands;
  const std::vector<StackedTensor> stack = bands.stack(cursor_);
  if (stack.empty()) return;
  const auto bytes = [&](const StackedTensor& each) { return bands.bands()[each.band].bytes; };
  const auto at = std::find_if(stack.begin(), stack.end(), [&](const StackedTensor& each) {
    return bands.bands()[each.band].buffer == marked_;
  });
  const auto to =
      at == stack.end()
          ? std::max_element(stack.begin(), stack.end(),
                             [&](const auto& a, const auto& b) { return bytes(a) < bytes(b); })
          : stack.begin() +
                std::clamp<std::ptrdiff_t>(at - stack.begin() + by, 0, std::ssize(stack) - 1);
  hovered_.reset();
  Q_EMIT tensor_chosen(cursor_, bands.bands()[to->band].buffer);
}

void MemoryView::zoom_at_cursor(double factor) {
  const double at = place().position_of(static_cast<double>(cursor_) + 0.5);
  set_axis(zoomed(axis_, factor, axis_.x_of(at)));
}

void MemoryView::go_to_peak() { Q_EMIT slot_clicked(curves_.current->peak_slot); }

void MemoryView::pan(double widths) {
  set_axis(moved(axis_, -widths * (axis_.right - axis_.left)));
}

void MemoryView::add_keys() {
  add_step_keys(*this, {[this](std::ptrdiff_t by) { move_cursor(by); },
                        [this](double factor) { zoom_at_cursor(factor); },
                        [this](double widths) { pan(widths); }, [this] { show_all(); }});
  const auto add = [this](const QString& text, Qt::Key key, const std::function<void()>& run) {
    add_key_action(*this, text, {key}, run);
  };
  add(tr("Tensor above"), Qt::Key_Up, [this] { walk_stack(1); });
  add(tr("Tensor below"), Qt::Key_Down, [this] { walk_stack(-1); });
  add(tr("Go to the peak"), Qt::Key_P, [this] { go_to_peak(); });
  add(tr("Switch between bands and tensors"), Qt::Key_T,
      [this] { set_look(with_other_fill(look_)); });
  add(tr("Colour tensors by lifetime or by use"), Qt::Key_C,
      [this] { set_look(with_other_colouring(look_)); });
  add(tr("Switch between slots and time"), Qt::Key_M, [this] { set_look(with_other_unit(look_)); });
  enable_keys(*this, false);
}

}  // namespace stashscope::ui
