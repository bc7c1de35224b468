// Mouse and keyboard input of the map of segments.

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <cmath>

#include "ui/memory/segment_map.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

bool SegmentMap::event(QEvent* event) {
  if (event->type() == QEvent::FontChange) lay_out();
  if (event->type() == QEvent::PaletteChange) redraw();
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const QStringList facts = facts_at(help->pos());
  if (facts.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help->globalPos(), facts.join(u'\n'), this);
  }
  return true;
}

void SegmentMap::wheelEvent(QWheelEvent* event) { scroll_->take_wheel(*event); }

void SegmentMap::mousePressEvent(QMouseEvent* event) {
  const MapBlock* const block = block_at(event->position());
  if (event->button() != Qt::LeftButton || block == nullptr || !block->buffer.valid()) return;
  Q_EMIT tensor_chosen(block->buffer);
}

void SegmentMap::mouseMoveEvent(QMouseEvent* event) {
  hovered_ = event->position();
  Q_EMIT pointed_at(facts_at(*hovered_));
  update();
}

void SegmentMap::leaveEvent(QEvent*) {
  hovered_.reset();
  Q_EMIT pointed_at({});
  update();
}

/// Chooses a tensor with the keyboard. The facts about the outlined tensor then replace the facts
/// about the item under a resting pointer.
void SegmentMap::choose(BufferId buffer) {
  hovered_.reset();
  Q_EMIT tensor_chosen(buffer);
  if (const MapBlock* const marked = marked_block()) Q_EMIT pointed_at(facts_of(*marked));
  update();
}

/// Chooses the next (1) or previous (-1) tensor of the segment. If no tensor is outlined, chooses
/// the first tensor of the map.
void SegmentMap::walk_row(int by) {
  const MapBlock* block = marked_block();
  if (block == nullptr) return walk_rows(0);
  const auto blocks = map().blocks_of(block->segment);
  const MapBlock* const end = by > 0 ? blocks.data() + blocks.size() - 1 : blocks.data();
  while (block != end) {
    block += by;
    if (block->buffer.valid()) return choose(block->buffer);
  }
}

/// Of the tensors in a segment, the one whose middle is nearest to `x`, in pixels. Null if the
/// segment holds no tensor.
const MapBlock* SegmentMap::nearest_tensor(std::size_t segment, double x) const {
  const MapBlock* nearest = nullptr;
  double least = 0;
  for (const MapBlock& each : map().blocks_of(segment)) {
    const double distance = std::abs(rectangle(each).center().x() - x);
    if (!each.buffer.valid() || (nearest != nullptr && distance >= least)) continue;
    nearest = &each;
    least = distance;
  }
  return nearest;
}

/// Chooses the nearest tensor in the next segment that holds a tensor, above (-1) or below (1). If
/// no tensor is outlined, chooses the first tensor of the map.
/// @param by -1 or 1; 0 only if no tensor is outlined
void SegmentMap::walk_rows(int by) {
  const MapBlock* const from = marked_block();
  const double x = from == nullptr ? 0 : rectangle(*from).center().x();
  auto row = from == nullptr ? std::ptrdiff_t{0} : std::ptrdiff_t{from->segment} + by;
  const int step = from != nullptr && by < 0 ? -1 : 1;
  for (; row >= 0 && row < std::ssize(map().segments); row += step) {
    const MapBlock* const found = nearest_tensor(static_cast<std::size_t>(row), x);
    if (found != nullptr) return choose(found->buffer);
  }
}

void SegmentMap::add_keys() {
  setContextMenuPolicy(Qt::ActionsContextMenu);
  const auto add = [this](const QString& text, Qt::Key key, const std::function<void()>& run) {
    add_key_action(*this, text, {key}, run);
  };
  add(tr("Tensor on the left"), Qt::Key_Left, [this] { walk_row(-1); });
  add(tr("Tensor on the right"), Qt::Key_Right, [this] { walk_row(1); });
  add(tr("Segment above"), Qt::Key_Up, [this] { walk_rows(-1); });
  add(tr("Segment below"), Qt::Key_Down, [this] { walk_rows(1); });
  enable_keys(*this, false);
}

}  // namespace stashscope::ui
