#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <cmath>

#include "ui/graph/graph_tips.h"
#include "ui/graph/graph_view.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

namespace {

constexpr double zoom_step = 1.25;
constexpr double pan_step = 64;

/// A click hits a curve within this distance, in pixels.
constexpr double reach = 6;

bool is_escape(const QKeyEvent& key) {
  return key.key() == Qt::Key_Escape && key.modifiers() == Qt::NoModifier;
}

}  // namespace

/// Finds the topmost item: boxes lie over bundles, and bundles lie over the frames of open groups.
GraphView::Found GraphView::found_under(QPointF screen) const {
  if (scene_ == nullptr) return {};
  const layout::Point point = from_qt(camera_.to_picture(screen));
  auto box = layout::box_at(scene_->drawing(), point);
  if (box) box = scene_->shown().shown_around(scene_->drawing(), *box);
  if (box && scene_->is_leaf(*box)) return {box, std::nullopt};
  if (const auto widened = widened_under(screen)) return {widened, std::nullopt};
  const auto bundle = layout::bundle_at(scene_->shown(), point, reach / camera_.zoom);
  if (bundle) return {std::nullopt, bundle};
  return {box, std::nullopt};
}

/// The box that is drawn wider for its title and reaches this point.
std::optional<std::uint32_t> GraphView::widened_under(QPointF screen) const {
  for (const auto& [box, right] : painted_.right_edges) {
    QRectF rect = camera_.to_screen(to_qt(scene_->drawing().boxes[box].rect));
    rect.setRight(right);
    if (rect.contains(screen)) return box;
  }
  return std::nullopt;
}

void GraphView::click(const Found& found) {
  if (found.box) {
    click(*found.box);
  } else if (found.bundle) {
    Q_EMIT bundle_clicked(*found.bundle);
  } else {
    Q_EMIT nothing_clicked();
  }
}

bool GraphView::is_marked(const Found& found) const {
  return found.box && scene_->mark_of(*found.box) != Mark::none;
}

void GraphView::click(std::uint32_t box) {
  const layout::OutlineBox& shows = scene_->drawing().boxes[box].shows;
  if (shows.node.valid()) {
    Q_EMIT node_clicked(shows.node);
  } else {
    Q_EMIT group_clicked(shows.group, shows.side);
  }
}

/// The closest box in a direction. Distance to the side weighs three times as much as distance in
/// the direction.
std::optional<std::uint32_t> GraphView::neighbour(std::uint32_t box, Qt::Key direction) const {
  const auto& boxes = scene_->drawing().boxes;
  const layout::Point from = boxes[box].rect.center();
  std::optional<std::uint32_t> best;
  double best_distance = 0;
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    if (i == box || scene_->shown().leaves[i] == 0) continue;
    const layout::Point to = boxes[i].rect.center();
    double along =
        direction == Qt::Key_Up || direction == Qt::Key_Down ? to.y - from.y : to.x - from.x;
    double aside =
        direction == Qt::Key_Up || direction == Qt::Key_Down ? to.x - from.x : to.y - from.y;
    if (direction == Qt::Key_Up || direction == Qt::Key_Left) along = -along;
    if (along <= 1) continue;
    const double distance = along + 3 * std::abs(aside);
    if (best && distance >= best_distance) continue;
    best = i;
    best_distance = distance;
  }
  return best;
}

void GraphView::walk(Qt::Key direction) {
  if (scene_ == nullptr || scene_->drawing().boxes.empty()) return;
  auto from = first_marked_box();
  if (from) from = scene_->shown().shown_around(scene_->drawing(), *from);
  const auto to = from ? neighbour(*from, direction) : std::optional<std::uint32_t>(0);
  if (!to) return;
  click(*to);
  show_box(to_qt(scene_->drawing().boxes[*to].rect), 0);
}

bool GraphView::event(QEvent* event) {
  // Escape ends the isolation first; otherwise the window would take the key for its own command.
  if (event->type() == QEvent::ShortcutOverride && isolation_ &&
      is_escape(static_cast<const QKeyEvent&>(*event))) {
    event->accept();
    return true;
  }
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const Found found = found_under(help->pos());
  if (found.box) {
    QToolTip::showText(help->globalPos(), tip_of_box(*scene_, *found.box), this);
  } else if (found.bundle) {
    QToolTip::showText(help->globalPos(), tip_of_bundle(*scene_, *found.bundle), this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

void GraphView::wheelEvent(QWheelEvent* event) {
  const double notches = event->angleDelta().y() / 120.0;
  framing_ = Framing::by_hand;
  set_camera(zoomed(camera_, std::pow(zoom_step, notches), event->position()));
  event->accept();
}

void GraphView::mousePressEvent(QMouseEvent* event) {
  pressed_at_ = event->position();
  dragged_to_ = pressed_at_;
  dragging_ = false;
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
  if ((event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) == 0) {
    return hover(event->position());
  }
  const QPointF way = event->position() - pressed_at_;
  if (way.manhattanLength() >= QApplication::startDragDistance()) dragging_ = true;
  if (!dragging_) return;
  framing_ = Framing::by_hand;
  set_camera(moved(camera_, event->position() - dragged_to_));
  dragged_to_ = event->position();
}

void GraphView::hover(QPointF screen) {
  const Found found = found_under(screen);
  const bool is_on_mark = box_with_mark_at(painted_, screen).has_value();
  set_hovered(found.box);
  setCursor(found.bundle || is_on_mark ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
  const bool was_dragging = std::exchange(dragging_, false);
  const bool ends_double_click = std::exchange(double_clicked_, false);
  if (was_dragging || ends_double_click || event->button() != Qt::LeftButton) return;
  const auto group = box_with_mark_at(texts(), event->position());
  toggled_ = group.has_value();
  if (group) return toggle(*group);
  click(found_under(event->position()));
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  // The first click on a mark has opened or closed the group; the second must not undo that.
  if (toggled_) {
    double_clicked_ = true;
    return;
  }
  const auto box = found_under(event->position()).box;
  if (!box) return;
  // Once the group is open, something else may be under the pointer when the button is released.
  double_clicked_ = true;
  click(*box);
  const bool is_block = scene_->drawing().boxes[*box].is_open() && scene_->is_leaf(*box);
  if (is_block) {
    zoom_around(*box, least_inner_height() / scene_->inner_height(*box));
  } else {
    toggle(*box);
  }
}

/// The menu is about the selection. A right click outside the selection first selects the item
/// under the pointer.
void GraphView::contextMenuEvent(QContextMenuEvent* event) {
  if (scene_ == nullptr) return;
  if (event->reason() == QContextMenuEvent::Keyboard) {
    Q_EMIT menu_wanted(menu_place());
    return;
  }
  const Found found = found_under(event->pos());
  if (!is_marked(found)) click(found);
  Q_EMIT menu_wanted(event->globalPos());
}

void GraphView::pan(QPointF by) {
  framing_ = Framing::by_hand;
  set_camera(moved(camera_, -by));
}

void GraphView::add_keys() {
  const auto add = [this](const QString& text, const QKeySequence& key,
                          const std::function<void()>& run) {
    add_key_action(*this, text, {key}, run);
  };
  add(tr("Box above"), Qt::Key_Up, [this] { walk(Qt::Key_Up); });
  add(tr("Box below"), Qt::Key_Down, [this] { walk(Qt::Key_Down); });
  add(tr("Box to the left"), Qt::Key_Left, [this] { walk(Qt::Key_Left); });
  add(tr("Box to the right"), Qt::Key_Right, [this] { walk(Qt::Key_Right); });
  add(tr("Pan up"), Qt::SHIFT | Qt::Key_Up, [this] { pan({0, -pan_step}); });
  add(tr("Pan down"), Qt::SHIFT | Qt::Key_Down, [this] { pan({0, pan_step}); });
  add(tr("Pan to the left"), Qt::SHIFT | Qt::Key_Left, [this] { pan({-pan_step, 0}); });
  add(tr("Pan to the right"), Qt::SHIFT | Qt::Key_Right, [this] { pan({pan_step, 0}); });
  add_search_words(*add_key_action(*this, tr("Open or close the group"),
                                   {Qt::Key_Return, Qt::Key_Enter}, [this] { toggle_selected(); }),
                   tr("fold unfold collapse expand"));
  tell_key(*add_key_action(*this, tr("End isolation"), {}, [this] { isolate(std::nullopt); }),
           Qt::Key_Escape);
  enable_keys(*this, false);
}

void GraphView::keyPressEvent(QKeyEvent* event) {
  if (!isolation_ || !is_escape(*event)) return QWidget::keyPressEvent(event);
  isolate(std::nullopt);
}

void GraphView::leaveEvent(QEvent*) { set_hovered(std::nullopt); }

}  // namespace stashscope::ui
