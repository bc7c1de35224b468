#include "ui/panels/orders/steps_view.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include "ui/models/step_model.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

namespace {

constexpr int scroll_interval = 30;  // milliseconds
constexpr int scroll_margin = 20;    // pixels

}  // namespace

StepsView::StepsView(QWidget* parent) : TableView(parent) {
  scroll_.setInterval(scroll_interval);
  connect(&scroll_, &QTimer::timeout, this, &StepsView::scroll_along);
}

void StepsView::set_study(std::shared_ptr<const Study> study) {
  end_drag();
  pressed_ = NodeId();
  order_.reset();
  study_ = std::move(study);
  if (study_ != nullptr) order_.emplace(movable_order(*study_));
}

NodeId StepsView::node_at(int row) const {
  const bool is_step = study_ != nullptr && row >= 0;
  return is_step ? study_->current->timeline.order[static_cast<std::size_t>(row)] : NodeId();
}

NodeId StepsView::current_node() const { return node_at(currentIndex().row()); }

std::optional<LegalRange> StepsView::current_range() const {
  const NodeId node = current_node();
  return node.valid() ? std::optional(order_->range(node)) : std::nullopt;
}

void StepsView::try_move(NodeId node, std::size_t before) {
  if (const auto obstacle = order_->obstacle(node, before)) {
    Q_EMIT told(tr("Not possible here: %1").arg(obstacle_text(*study_, *obstacle)), true);
    return;
  }
  const bool is_end = before == order_->nodes().size();
  const NodeId other = is_end ? NodeId() : order_->nodes()[before];
  const auto [begin, end] = order_->steps_of(node);
  if (before >= begin && before <= end) return;
  // The view's own order takes the move at once, because the user may press the next key before the
  // new study is computed.
  order_->move(node, before);
  Q_EMIT move_wanted(node, other);
}

void StepsView::move_by_one(int direction) {
  const NodeId node = current_node();
  if (!node.valid()) return;
  const auto [begin, end] = order_->steps_of(node);
  const bool is_at_end = direction < 0 ? begin == 0 : end == order_->nodes().size();
  if (is_at_end) {
    Q_EMIT told(
        direction < 0 ? tr("The node already runs first.") : tr("The node already runs last."),
        true);
    return;
  }
  const NodeId passed = order_->nodes()[direction < 0 ? begin - 1 : end];
  const MovableOrder::Steps others = order_->steps_of(passed);
  try_move(node, direction < 0 ? others.begin : others.end);
}

void StepsView::move_to(std::size_t step) {
  const NodeId node = current_node();
  if (node.valid()) try_move(node, order_->in_front_of(node, step));
}

void StepsView::mousePressEvent(QMouseEvent* event) {
  TableView::mousePressEvent(event);
  const bool is_left = event->button() == Qt::LeftButton;
  pressed_at_ = event->position().toPoint();
  pressed_ = is_left ? node_at(rowAt(pressed_at_.y())) : NodeId();
}

void StepsView::mouseMoveEvent(QMouseEvent* event) {
  if (!pressed_.valid() || !event->buttons().testFlag(Qt::LeftButton)) {
    return TableView::mouseMoveEvent(event);
  }
  const QPoint position = event->position().toPoint();
  const int way = (position - pressed_at_).manhattanLength();
  if (is_dragging() || way >= QApplication::startDragDistance()) drag_to(position);
}

void StepsView::mouseReleaseEvent(QMouseEvent* event) {
  const std::optional<Drag> dropped = drag_;
  end_drag();
  pressed_ = NodeId();
  if (!dropped) return TableView::mouseReleaseEvent(event);
  // A drag from one row to another must not select the rows between them.
  setState(NoState);
  try_move(dropped->node, dropped->before);
}

bool StepsView::event(QEvent* event) {
  const bool is_escape = event->type() == QEvent::ShortcutOverride &&
                         static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape;
  // During a drag, Escape ends only the drag, and the key must not reach the window.
  if (is_escape && is_dragging()) event->accept();
  return TableView::event(event);
}

void StepsView::keyPressEvent(QKeyEvent* event) {
  if (!is_dragging() || event->key() != Qt::Key_Escape) return TableView::keyPressEvent(event);
  end_drag();
  pressed_ = NodeId();
  Q_EMIT told({}, false);
}

std::size_t StepsView::step_below(int y) const {
  const int row = rowAt(std::clamp(y, 0, viewport()->height() - 1));
  if (row < 0) return order_->nodes().size();
  const bool is_lower_half = y > rowViewportPosition(row) + rowHeight(row) / 2;
  return static_cast<std::size_t>(row) + (is_lower_half ? 1 : 0);
}

int StepsView::top_of(std::size_t step) const {
  const int row = static_cast<int>(step);
  const int last = model()->rowCount() - 1;
  return row <= last ? rowViewportPosition(row) : rowViewportPosition(last) + rowHeight(last);
}

void StepsView::drag_to(QPoint position) {
  pointer_ = position;
  const std::size_t before = step_below(position.y());
  drag_ = {pressed_, before, order_->obstacle(pressed_, before)};
  viewport()->setCursor(drag_->obstacle ? Qt::ForbiddenCursor : Qt::ClosedHandCursor);
  const int height = viewport()->height();
  const bool is_at_edge = position.y() < scroll_margin || position.y() > height - scroll_margin;
  if (is_at_edge && !scroll_.isActive()) scroll_.start();
  if (!is_at_edge) scroll_.stop();
  tell_target();
  viewport()->update();
}

void StepsView::scroll_along() {
  const int height = viewport()->height();
  const int beyond = pointer_.y() < scroll_margin ? pointer_.y() - scroll_margin
                                                  : pointer_.y() - (height - scroll_margin);
  verticalScrollBar()->setValue(verticalScrollBar()->value() + beyond);
  drag_to(pointer_);
}

void StepsView::end_drag() {
  if (!is_dragging()) return;
  drag_.reset();
  scroll_.stop();
  QToolTip::hideText();
  viewport()->unsetCursor();
  viewport()->update();
}

void StepsView::tell_target() {
  const auto moved = order_->steps_of(drag_->node);
  const bool is_behind = drag_->before > moved.end;
  const std::size_t step = is_behind ? drag_->before - moved.count() : drag_->before;
  const QString text =
      drag_->obstacle
          ? tr("Not possible here: %1").arg(obstacle_text(*study_, *drag_->obstacle))
          : tr("%1 to slot %2").arg(short_node_text(*study_, drag_->node)).arg(step + 1);
  Q_EMIT told(text, drag_->obstacle.has_value());
  QToolTip::showText(viewport()->mapToGlobal(pointer_), text, viewport());
}

void StepsView::paintEvent(QPaintEvent* event) {
  TableView::paintEvent(event);
  if (!is_dragging()) return;
  QPainter painter(viewport());
  paint_targets(painter);
}

void StepsView::paint_targets(QPainter& painter) const {
  const Theme theme = theme_of(palette());
  QColor veil = theme.window;
  veil.setAlphaF(0.75F);
  const int width = viewport()->width();
  const int first = std::max(0, rowAt(0));
  const int last = rowAt(viewport()->height() - 1);
  const int end = last < 0 ? model()->rowCount() : last + 1;
  const auto is_closed = [&](int row) {
    return order_->obstacle(drag_->node, static_cast<std::size_t>(row)).has_value();
  };
  for (int row = first; row < end; ++row) {
    if (!is_closed(row) || !is_closed(row + 1)) continue;
    painter.fillRect(0, rowViewportPosition(row), width, rowHeight(row), veil);
  }
  const auto [begin, behind] = order_->steps_of(drag_->node);
  painter.setPen(QPen(theme.accent, 1));
  painter.drawRect(0, top_of(begin), width - 1, top_of(behind) - top_of(begin) - 1);
  const QColor line = drag_->obstacle ? theme.warning : theme.accent;
  painter.fillRect(0, top_of(drag_->before) - 1, width, 3, line);
}

}  // namespace stashscope::ui
