#include "ui/graph/graph_view.h"

#include <QEvent>
#include <QPainter>

#include "core/study/choices/node_names.h"
#include "core/study/facts/data_tables.h"
#include "ui/graph/graph_export.h"
#include "ui/graph/graph_painter.h"
#include "ui/graph/minimap.h"
#include "ui/text/texts.h"
#include "ui/theme/focus_frame.h"
#include "ui/theme/text_size.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

namespace {

constexpr double view_margin = 32;
constexpr double rounding = 0.5;
/// If the whole picture fits only at a smaller zoom than this, its upper end is shown first.
constexpr double least_first_zoom = 0.75;
constexpr double most_first_zoom = 0.9;

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
  painted_ = {};
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
  if (!same_model) framing_ = Framing::beginning;
  if (same_model && held_) {
    keep_in_place(*before);
  } else {
    frame();
  }
  update();
}

/// Keeps the group of `held_` in its place on the screen if a group was opened or closed.
void GraphView::keep_in_place(const GraphScene& before) {
  const std::optional<Held> held = std::exchange(held_, std::nullopt);
  if (before.picture().open == scene_->picture().open) return frame();
  for (const layout::DrawnBox& box : scene_->drawing().boxes) {
    if (box.shows.group != held->group || box.shows.side != held->side) continue;
    framing_ = Framing::by_hand;
    return set_camera(anchored(camera_, to_qt(box.rect).topLeft(), held->screen));
  }
  frame();
}

void GraphView::set_selection(const Selection& selection) {
  selection_ = selection;
  mark();
  setAccessibleDescription(selected_name());
}

QString GraphView::selected_name() const {
  if (!selection_.node.valid() || scene_ == nullptr) return selection_.title;
  const Study& study = *scene_->picture().study;
  const Dataflow& dataflow = study.current->dataflow;
  // A plan may just have added the selected node. The picture lacks this node until the next
  // picture is drawn.
  return selection_.node.index() < dataflow.topology.nodes()
             ? shown(titled_name(study.graph(), dataflow, selection_.node))
             : QString();
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

void GraphView::show_alive_at(std::optional<std::size_t> slot) {
  alive_at_ = slot;
  if (scene_ == nullptr) return;
  scene_->show_alive_at(slot);
  update();
}

void GraphView::set_notice(const QString& notice) {
  notice_ = notice;
  update();
}

Camera GraphView::first_view() const {
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
  if (scene_ != nullptr) scene_->show_above(least_inner_height() / camera_.zoom);
  minimap_->set_camera(camera_, size());
  Q_EMIT camera_changed();
  update();
}

void GraphView::fit() {
  if (scene_ == nullptr) return;
  framing_ = Framing::whole;
  frame();
}

void GraphView::frame() {
  if (scene_ == nullptr || framing_ == Framing::by_hand) return set_camera(camera_);
  set_camera(framing_ == Framing::beginning
                 ? first_view()
                 : fitted(to_qt(scene_->drawing().bounds), size(), view_margin));
}

QRectF GraphView::seen() const {
  if (scene_ == nullptr) return {};
  return camera_.to_picture(rect().toRectF()).intersected(to_qt(scene_->drawing().bounds));
}

void GraphView::keep_in_view(const QRectF& part) {
  if (scene_ == nullptr || framing_ != Framing::by_hand || part.isEmpty()) return;
  const double room = width() - 2 * view_margin;
  if (part.width() * camera_.zoom <= room || room <= 0) return;
  set_camera(anchored({room / part.width(), {}}, part.center(), rect().toRectF().center()));
}

void GraphView::zoom_by(double factor) {
  framing_ = Framing::by_hand;
  set_camera(zoomed(camera_, factor, rect().toRectF().center()));
}

void GraphView::scale_texts(double factor) {
  framing_ == Framing::whole ? frame() : zoom_by(factor);
}

void GraphView::center_on(QPointF point) {
  framing_ = Framing::by_hand;
  set_camera(anchored(camera_, point, rect().toRectF().center()));
}

void GraphView::reveal(NodeId node) {
  if (scene_ == nullptr || !scene_->drawing().box_of.contains(node)) return;
  const layout::Rect& box = scene_->drawing().boxes[scene_->drawing().box_of[node]].rect;
  show_box(to_qt(box), view_margin);
}

void GraphView::reveal_closely(NodeId node) {
  if (scene_ == nullptr || !scene_->drawing().box_of.contains(node)) return;
  const auto& boxes = scene_->drawing().boxes;
  const std::uint32_t box = scene_->drawing().box_of[node];
  double least = 0;
  for (std::uint32_t at = boxes[box].parent; at != layout::outside; at = boxes[at].parent) {
    least = std::max(least, least_inner_height() / scene_->inner_height(at));
  }
  if (camera_.zoom < least) zoom_around(box, least);
  reveal(node);
}

/// Centres a box and zooms in a little beyond `least`, the zoom at which a block shows its inside.
void GraphView::zoom_around(std::uint32_t box, double least) {
  framing_ = Framing::by_hand;
  set_camera(anchored({std::min(1.2 * least, most_zoom), {}},
                      to_qt(scene_->drawing().boxes[box].rect.center()),
                      rect().toRectF().center()));
}

/// If the box is in view horizontally, the picture moves only up or down, so that both columns stay
/// in view.
void GraphView::show_box(const QRectF& box, double margin) {
  const QRectF shown = camera_.to_screen(box);
  const QRectF room = rect().toRectF();
  // A graph that fits the view ends exactly at the margin. Rounding must not make it count as out
  // of view.
  margin -= rounding;
  const QRectF inside = room.adjusted(margin, margin, -margin, -margin);
  const bool fits_across = shown.left() >= inside.left() && shown.right() <= inside.right();
  const bool fits_along = shown.top() >= inside.top() && shown.bottom() <= inside.bottom();
  if (fits_across && fits_along) return;
  const QPointF to(fits_across ? shown.center().x() : room.center().x(),
                   fits_along ? shown.center().y() : room.center().y());
  framing_ = Framing::by_hand;
  set_camera(anchored(camera_, box.center(), to));
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

void GraphView::toggle(std::uint32_t box) {
  const layout::DrawnBox& drawn = scene_->drawing().boxes[box];
  if (!drawn.shows.group.valid()) return;
  held_ = {drawn.shows.group, drawn.shows.side, camera_.to_screen(to_qt(drawn.rect)).topLeft()};
  Q_EMIT toggle_wanted(drawn.shows.group);
}

void GraphView::set_hovered(std::optional<std::uint32_t> box) {
  if (hovered_ == box) return;
  hovered_ = box;
  update();
}

GraphTexts GraphView::texts() const {
  if (scene_ == nullptr) return {};
  LabelOptions options;
  options.hovered = hovered_;
  if (minimap_->isVisible()) options.keep_free = QRectF(minimap_->geometry());
  return place_texts(*scene_, camera_, rect().toRectF(), options);
}

void GraphView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme theme = theme_of(palette());
  if (scene_ == nullptr) {
    painter.fillRect(rect(), theme.canvas);
  } else {
    const QRectF screen = rect().toRectF();
    painted_ = texts();
    GraphPainter(*scene_, camera_, theme, hovered_).paint(painter, screen, painted_);
  }
  if (!notice_.isEmpty()) paint_notice(painter, theme);
  paint_focus_frame(painter, *this);
}

/// Paints the notice on a background, because the graph may lie below it.
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

void GraphView::resizeEvent(QResizeEvent*) { frame(); }

/// The minimap grows with the text size.
void GraphView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::FontChange) return;
  minimap_->text_changed();
  set_camera(camera_);
}

Picture GraphView::picture(const QString& title) {
  if (scene_ == nullptr) return {};
  return exported_graph(scene_->shared_picture(), {colouring_, selection_, isolation_, alive_at_},
                        title);
}

PictureData GraphView::picture_data() {
  if (scene_ == nullptr) return {};
  return [study = scene_->picture().study] { return node_table(*study); };
}

}  // namespace stashscope::ui
