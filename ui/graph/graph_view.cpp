#include "ui/graph/graph_view.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <cmath>

#include "core/study/facts/node_facts.h"
#include "ui/graph/graph_painter.h"
#include "ui/graph/minimap.h"
#include "ui/text/texts.h"
#include "ui/theme/text_size.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

namespace {

constexpr double view_margin = 32;
constexpr double zoom_step = 1.25;
constexpr double pan_step = 64;
/// If a picture fits only at a smaller zoom than this, its upper end is shown instead.
constexpr double least_first_zoom = 0.75;
constexpr double most_first_zoom = 0.9;

/// Distance from a curve within which a click counts, in pixels.
constexpr double reach = 6;

bool is_escape(const QKeyEvent& key) {
  return key.key() == Qt::Key_Escape && key.modifiers() == Qt::NoModifier;
}

}  // namespace

GraphView::GraphView(QWidget* parent) : QWidget(parent), minimap_(new Minimap(this)) {
  setObjectName(QStringLiteral("graph_view"));
  setAccessibleName(tr("Graph of the training step"));
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(160, 80);
  connect(minimap_, &Minimap::point_wanted, this, &GraphView::center_on);
  add_keys();
}

void GraphView::set_picture(std::shared_ptr<const GraphPicture> picture) {
  set_hovered(std::nullopt);
  enable_keys(*this, picture != nullptr);
  if (picture == nullptr) {
    minimap_->set_scene(nullptr);
    scene_.reset();
    update();
    return;
  }
  const std::unique_ptr<GraphScene> before = std::move(scene_);
  scene_ = std::make_unique<GraphScene>(std::move(picture));
  scene_->colour_by(colouring_);
  scene_->mark(selection_, isolation_);
  minimap_->set_scene(scene_.get());
  const bool same_model =
      before != nullptr && before->picture().grouping == scene_->picture().grouping;
  if (!same_model) moved_by_user_ = false;
  if (same_model && (moved_by_user_ || held_)) {
    keep_in_place(*before);
  } else {
    set_camera(first_view());
  }
  update();
}

/// Keeps the held group in its place on the screen, or the whole picture if no group is held.
void GraphView::keep_in_place(const GraphScene& before) {
  const std::optional<Held> held = std::exchange(held_, std::nullopt);
  if (!held || before.picture().open == scene_->picture().open) return set_camera(camera_);
  for (const layout::DrawnBox& box : scene_->drawing().boxes) {
    if (box.shows.group != held->group || box.shows.side != held->side) continue;
    moved_by_user_ = true;
    return set_camera(anchored(camera_, to_qt(box.rect).topLeft(), held->screen));
  }
}

void GraphView::set_selection(const Selection& selection) {
  selection_ = selection;
  mark();
}

void GraphView::mark() {
  if (scene_ == nullptr) return;
  scene_->mark(selection_, isolation_);
  minimap_->scene_changed();
  update();
}

void GraphView::colour_by(layout::Colouring colouring) {
  colouring_ = colouring;
  if (scene_ == nullptr) return;
  scene_->colour_by(colouring);
  minimap_->scene_changed();
  update();
}

void GraphView::isolate(std::optional<int> hops) {
  if (isolation_ == hops) return;
  isolation_ = hops;
  mark();
  Q_EMIT isolation_changed();
}

void GraphView::set_notice(const QString& notice) {
  notice_ = notice;
  update();
}

Camera GraphView::first_view() const {
  const Camera view = first_view_of_normal_text();
  const QRectF bounds = to_qt(scene_->drawing().bounds);
  const double widest = (width() - 2 * view_margin) / (bounds.width() * view.zoom);
  const double growth = std::min(text_scale(), widest);
  if (growth <= 1) return view;
  return zoomed(view, growth, view.to_screen(QPointF(bounds.center().x(), bounds.y())));
}

Camera GraphView::first_view_of_normal_text() const {
  const QRectF bounds = to_qt(scene_->drawing().bounds);
  const Camera all = fitted(bounds, size(), view_margin);
  if (all.zoom >= least_first_zoom) return all;
  const QRectF top(bounds.topLeft(), QSizeF(bounds.width(), 1));
  const double zoom = std::min(fitted(top, size(), view_margin).zoom, most_first_zoom);
  return anchored({zoom, {}}, QPointF(bounds.center().x(), bounds.y()),
                  QPointF(width() / 2.0, view_margin));
}

void GraphView::set_camera(const Camera& camera) {
  camera_ = camera;
  minimap_->set_camera(camera_, size());
  Q_EMIT camera_changed();
  update();
}

void GraphView::fit() {
  if (scene_ == nullptr) return;
  moved_by_user_ = false;
  set_camera(fitted(to_qt(scene_->drawing().bounds), size(), view_margin));
}

void GraphView::zoom_by(double factor) {
  moved_by_user_ = true;
  set_camera(zoomed(camera_, factor, rect().toRectF().center()));
}

void GraphView::center_on(QPointF point) {
  moved_by_user_ = true;
  set_camera(anchored(camera_, point, rect().toRectF().center()));
}

void GraphView::reveal(NodeId node) {
  if (scene_ == nullptr || !scene_->drawing().box_of.contains(node)) return;
  const layout::Rect& box = scene_->drawing().boxes[scene_->drawing().box_of[node]].rect;
  show_box(to_qt(box), view_margin);
}

/// If a picture fits into the width, moving it up or down keeps both columns in view.
void GraphView::show_box(const QRectF& box, double margin) {
  const QRectF shown = camera_.to_screen(box);
  const QRectF room = rect().toRectF();
  const QRectF inside = room.adjusted(margin, margin, -margin, -margin);
  const bool fits_across = shown.left() >= inside.left() && shown.right() <= inside.right();
  const bool fits_along = shown.top() >= inside.top() && shown.bottom() <= inside.bottom();
  if (fits_across && fits_along) return;
  const QPointF to(fits_across ? shown.center().x() : room.center().x(),
                   fits_along ? shown.center().y() : room.center().y());
  moved_by_user_ = true;
  set_camera(anchored(camera_, box.center(), to));
}

/// Boxes lie over stash edges, stash edges over the frames of open groups.
GraphView::Found GraphView::found_under(QPointF screen) const {
  if (scene_ == nullptr) return {};
  const layout::Drawing& drawing = scene_->drawing();
  const layout::Point point = from_qt(camera_.to_picture(screen));
  const auto box = layout::box_at(drawing, point);
  if (box && !drawing.boxes[*box].is_open()) return {box, std::nullopt};
  const auto stash_edge = layout::stash_edge_at(drawing, point, reach / camera_.zoom);
  if (stash_edge) return {std::nullopt, stash_edge};
  return {box, std::nullopt};
}

std::optional<std::uint32_t> GraphView::first_marked_box() const {
  if (scene_ == nullptr) return std::nullopt;
  const auto& marks = scene_->marks();
  const auto found =
      std::find_if(marks.begin(), marks.end(), [](Mark mark) { return mark != Mark::none; });
  if (found == marks.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - marks.begin());
}

bool GraphView::holds(std::uint32_t outer, std::uint32_t box) const {
  while (box != layout::outside && box != outer) box = scene_->drawing().boxes[box].parent;
  return box == outer;
}

std::optional<std::uint32_t> GraphView::selected_group() const {
  const auto first = first_marked_box();
  if (!first) return std::nullopt;
  const auto& boxes = scene_->drawing().boxes;
  std::uint32_t group = boxes[*first].shows.group.valid() ? *first : boxes[*first].parent;
  for (std::uint32_t i = *first; i < boxes.size(); ++i) {
    if (scene_->marks()[i] == Mark::none) continue;
    while (group != layout::outside && !holds(group, i)) group = boxes[group].parent;
  }
  return group == layout::outside ? std::nullopt : std::optional(group);
}

void GraphView::toggle_selected() {
  if (const auto box = selected_group()) toggle(*box);
}

QPoint GraphView::menu_place() const {
  QPoint place = rect().center();
  if (const auto box = first_marked_box()) {
    const QRectF shown = camera_.to_screen(to_qt(scene_->drawing().boxes[*box].rect));
    if (rect().toRectF().intersects(shown)) {
      place = shown.intersected(rect().toRectF()).center().toPoint();
    }
  }
  return mapToGlobal(place);
}

void GraphView::click(const Found& found) {
  if (found.box) {
    click(*found.box);
  } else if (found.stash_edge) {
    Q_EMIT stash_edge_clicked(*found.stash_edge);
  } else {
    Q_EMIT nothing_clicked();
  }
}

bool GraphView::is_marked(const Found& found) const {
  return found.box && scene_->marks()[*found.box] != Mark::none;
}

void GraphView::click(std::uint32_t box) {
  const layout::OutlineBox& shows = scene_->drawing().boxes[box].shows;
  if (shows.node.valid()) {
    Q_EMIT node_clicked(shows.node);
  } else {
    Q_EMIT group_clicked(shows.group, shows.side);
  }
}

void GraphView::toggle(std::uint32_t box) {
  const layout::DrawnBox& drawn = scene_->drawing().boxes[box];
  if (!drawn.shows.group.valid()) return;
  held_ = {drawn.shows.group, drawn.shows.side, camera_.to_screen(to_qt(drawn.rect)).topLeft()};
  Q_EMIT toggle_wanted(drawn.shows.group);
}

/// The closest box whose centre lies in a direction, with little distance to the side.
std::optional<std::uint32_t> GraphView::neighbour(std::uint32_t box, Qt::Key direction) const {
  const auto& boxes = scene_->drawing().boxes;
  const layout::Point from = boxes[box].rect.center();
  std::optional<std::uint32_t> best;
  double best_distance = 0;
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    if (i == box || boxes[i].is_open()) continue;
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
  const auto from = first_marked_box();
  const auto to = from ? neighbour(*from, direction) : std::optional<std::uint32_t>(0);
  if (!to) return;
  click(*to);
  show_box(to_qt(scene_->drawing().boxes[*to].rect), 0);
}

void GraphView::set_hovered(std::optional<std::uint32_t> box) {
  if (hovered_ == box) return;
  hovered_ = box;
  update();
}

QString GraphView::tip_of(std::uint32_t box) const {
  const layout::DrawnBox& drawn = scene_->drawing().boxes[box];
  const GraphPicture& picture = scene_->picture();
  const std::string& name =
      drawn.shows.group.valid()
          ? picture.grouping->groups[drawn.shows.group].path
          : name_of(picture.study->graph(), picture.study->current->dataflow, drawn.shows.node);
  QString tip = shown(name);
  if (drawn.memory.bytes > 0) {
    tip += QLatin1Char('\n') + tr("makes %1, alive for %2 of %3 slots on average")
                                   .arg(bytes_text(drawn.memory.bytes))
                                   .arg(std::lround(average_slots(drawn.memory)))
                                   .arg(scene_->drawing().steps);
  }
  if (drawn.memory.bytes == 0 && !drawn.shows.group.valid()) tip += borrowed_text(drawn.shows.node);
  if (drawn.memory.stashed_bytes > 0) {
    tip += QLatin1Char('\n') +
           tr("stashes %1 for backward").arg(bytes_text(drawn.memory.stashed_bytes));
  }
  if (drawn.memory.peak_bytes > 0) {
    tip += QLatin1Char('\n') + tr("%1 of it at the peak").arg(bytes_text(drawn.memory.peak_bytes));
  }
  if (drawn.seconds > 0) {
    tip += QLatin1Char('\n') + tr("runs for %1").arg(time_text(drawn.seconds));
  }
  if (drawn.shows.group.valid()) tip += QLatin1Char('\n') + tr("double-click to open or close");
  return tip;
}

/// Text of a node that makes a view or works in place.
QString GraphView::borrowed_text(NodeId node) const {
  const Study& study = *scene_->picture().study;
  const NodeId maker = maker_of_memory(study, node);
  if (!maker.valid() || maker == node) return {};
  return QLatin1Char('\n') +
         tr("in the memory of %1")
             .arg(shown(name_of(study.graph(), study.current->dataflow, maker)));
}

QString GraphView::tip_of_stash_edge(std::uint32_t stash_edge) const {
  const layout::Drawing& drawing = scene_->drawing();
  const layout::StashEdge& drawn = drawing.stash_edges[stash_edge];
  if (drawn.is_turn) return tr("From forward to backward");
  QString tip = tr("%1 stashed by %2 for %3")
                    .arg(bytes_text(drawn.bytes), shown(drawing.boxes[drawn.from].title),
                         shown(drawing.boxes[drawn.to].title));
  if (drawn.stashes.size() > 1) {
    tip += QLatin1Char('\n') + tr("%1 activations").arg(drawn.stashes.size());
  }
  return tip + QLatin1Char('\n') + tr("click to select its path");
}

bool GraphView::event(QEvent* event) {
  // Before the window's own command of that key.
  if (event->type() == QEvent::ShortcutOverride && isolation_ &&
      is_escape(static_cast<const QKeyEvent&>(*event))) {
    event->accept();
    return true;
  }
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const Found found = found_under(help->pos());
  if (found.box || found.stash_edge) {
    QToolTip::showText(help->globalPos(),
                       found.box ? tip_of(*found.box) : tip_of_stash_edge(*found.stash_edge), this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

void GraphView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme theme = theme_of(palette());
  if (scene_ == nullptr) {
    painter.fillRect(rect(), theme.canvas);
  } else {
    GraphPainter(*scene_, camera_, theme, hovered_).paint(painter, rect().toRectF());
  }
  if (!notice_.isEmpty()) paint_notice(painter, theme);
}

/// Painted on a background, because the graph may lie below.
void GraphView::paint_notice(QPainter& painter, const Theme& theme) const {
  painter.setFont(caption_font(title_pixels));
  const QRect room = rect().adjusted(12, 36, -12, -12);
  const int flags = Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap;
  const QRect text = painter.boundingRect(room, flags, notice_);
  painter.setPen(theme.line);
  painter.setBrush(with_alpha(theme.surface, 0.94));
  painter.drawRoundedRect(text.adjusted(-8, -4, 8, 4), 4, 4);
  painter.setPen(theme.text);
  painter.drawText(room, flags, notice_);
}

void GraphView::resizeEvent(QResizeEvent*) {
  minimap_->place_in(size());
  if (scene_ != nullptr && !moved_by_user_) {
    set_camera(first_view());
  } else {
    set_camera(camera_);
  }
}

void GraphView::wheelEvent(QWheelEvent* event) {
  const double notches = event->angleDelta().y() / 120.0;
  moved_by_user_ = true;
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
    const Found found = found_under(event->position());
    set_hovered(found.box);
    setCursor(found.stash_edge ? Qt::PointingHandCursor : Qt::ArrowCursor);
    return;
  }
  const QPointF way = event->position() - pressed_at_;
  if (way.manhattanLength() >= QApplication::startDragDistance()) dragging_ = true;
  if (!dragging_) return;
  moved_by_user_ = true;
  set_camera(moved(camera_, event->position() - dragged_to_));
  dragged_to_ = event->position();
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
  const bool was_dragging = std::exchange(dragging_, false);
  if (was_dragging || event->button() != Qt::LeftButton) return;
  click(found_under(event->position()));
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto box = found_under(event->position()).box) toggle(*box);
}

/// By mouse, the menu is about the box under the pointer; by keyboard, about the selection.
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
  moved_by_user_ = true;
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
  add_key_action(*this, tr("Open or close the group"), {Qt::Key_Return, Qt::Key_Enter},
                 [this] { toggle_selected(); });
  tell_key(*add_key_action(*this, tr("End isolation"), {}, [this] { isolate(std::nullopt); }),
           Qt::Key_Escape);
  enable_keys(*this, false);
}

void GraphView::keyPressEvent(QKeyEvent* event) {
  if (!isolation_ || !is_escape(*event)) return QWidget::keyPressEvent(event);
  isolate(std::nullopt);
}

/// The overview grows with the text.
void GraphView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::FontChange) return;
  minimap_->place_in(size());
  set_camera(camera_);
}

void GraphView::leaveEvent(QEvent*) { set_hovered(std::nullopt); }

}  // namespace stashscope::ui
