#include "ui/memory/icicle_view.h"

#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/study/facts/data_tables.h"
#include "ui/charts/band_colours.h"
#include "ui/charts/chart_text.h"
#include "ui/charts/data_colours.h"
#include "ui/text/texts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr double text_margin = 4;
/// Margin beside the short name of a box that has no room for `text_margin`.
constexpr double least_margin = 1;
/// Boxes narrower than this many pixels hold no text. A chart may have a box for each pixel, and
/// measuring a text for each of them would take long.
constexpr double least_label = 8;

/// The colour of a group. In a high-contrast theme, groups have the colour of panels, so that they
/// do not outshine the tensors. The outlines of boxes separate groups there.
QColor group_colour(const Theme& theme, std::uint32_t row) {
  if (theme.high_contrast) return theme.surface;
  const QColor base = theme.dark ? theme.line : theme.line.lighter(108);
  return row % 2 == 0 ? base : (theme.dark ? base.darker(115) : base.lighter(104));
}

std::optional<std::uint32_t> node_with_path(const MemoryTree& tree, const std::string& path) {
  for (std::uint32_t node = 1; node < tree.nodes.size(); ++node) {
    if (tree.nodes[node].child_count > 0 && path_in_tree(tree, node) == path) return node;
  }
  return std::nullopt;
}

}  // namespace

IcicleView::IcicleView(QWidget* parent) : QWidget(parent), scroll_(new RowScrollBar(*this)) {
  setObjectName(u"icicle_view"_s);
  setAccessibleName(tr("Memory at the cursor, by group"));
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(200, 40);
  scroll_->setObjectName(u"icicle_scroll"_s);
  connect(scroll_, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
  add_keys();
  enable_keys(*this, false);
}

void IcicleView::set_tree(MemoryTree tree, std::vector<std::int64_t> bytes) {
  const bool was_zoomed = top_ != 0 && tree.grouping == tree_.grouping;
  const std::string path = was_zoomed ? path_in_tree(tree_, top_) : std::string();
  tree_ = std::move(tree);
  bytes_ = std::move(bytes);
  current_.reset();
  top_ = was_zoomed ? node_with_path(tree_, path).value_or(0) : 0;
  update_boxes();
  Q_EMIT zoomed();
}

void IcicleView::set_bytes(std::vector<std::int64_t> bytes) {
  bytes_ = std::move(bytes);
  update_boxes();
}

void IcicleView::zoom_to(std::uint32_t node) {
  if (node >= tree_.nodes.size() || node == top_) return;
  top_ = node;
  current_.reset();
  scroll_->setValue(0);
  update_boxes();
  Q_EMIT zoomed();
}

void IcicleView::show_all() {
  zoom_to(0);
  scroll_->setValue(0);
}

void IcicleView::zoom_out() {
  std::uint32_t node = top_;
  while (node != 0 && bytes_[node] == bytes_[top_]) node = tree_.nodes[node].parent;
  zoom_to(node);
}

void IcicleView::update_boxes() {
  boxes_ = icicle_boxes(tree_, bytes_, top_, 1.0 / std::max(1, width()));
  scroll_->fit(rows_height(), row_height());
  if (current_ && std::ranges::find(boxes_, *current_, &IcicleBox::node) == boxes_.end()) {
    current_.reset();
  }
  setAccessibleDescription(tree_.nodes.empty() ? QString() : description(top_));
  enable_keys(*this, !boxes_.empty());
  update();
}

int IcicleView::row_height() const {
  return static_cast<int>(std::ceil(QFontMetricsF(font()).height())) + 6;
}

int IcicleView::chart_width() const { return std::max(1, scroll_->room()); }

int IcicleView::rows_height() const {
  const auto lowest = std::ranges::max_element(boxes_, {}, &IcicleBox::row);
  return lowest == boxes_.end() ? 0 : (static_cast<int>(lowest->row) + 1) * row_height();
}

QRectF IcicleView::rectangle(const IcicleBox& box) const {
  const double room = chart_width();
  const double top = static_cast<double>(box.row) * row_height() - scroll_->value();
  return {box.left * room, top, (box.right - box.left) * room, static_cast<double>(row_height())};
}

const IcicleBox* IcicleView::box_at(QPointF pixel) const {
  const auto found = std::ranges::find_if(
      boxes_, [&](const IcicleBox& box) { return rectangle(box).contains(pixel); });
  return found == boxes_.end() ? nullptr : &*found;
}

const IcicleBox* IcicleView::current_box() const {
  const auto found = std::ranges::find(boxes_, current_.value_or(top_), &IcicleBox::node);
  return found == boxes_.end() ? nullptr : &*found;
}

QString IcicleView::description(std::uint32_t node) const {
  const QString path =
      node == 0 ? tr("all tensors alive at the cursor") : shown(path_in_tree(tree_, node));
  const double share =
      bytes_[0] == 0 ? 0 : 100 * static_cast<double>(bytes_[node]) / static_cast<double>(bytes_[0]);
  return tr("%1\n%2 (%3), %4 % of all live bytes")
      .arg(path, bytes_text(bytes_[node]), exact_bytes_text(bytes_[node]),
           QString::fromStdString(format_fixed(share, 1)));
}

QString IcicleView::label(const IcicleBox& box, double width) const {
  if (width < least_label) return {};
  const MemoryTreeNode& node = tree_.nodes[box.node];
  QString name = box.node == 0 ? tr("All") : shown(chain_name(tree_, box));
  if (node.buffer.valid()) name = name.section(u'/', -1, -1, QString::SectionSkipEmpty);
  const QFontMetricsF metrics(font());
  const QString whole = name + u"  "_s + bytes_text(bytes_[box.node]);
  for (const QString& each : {whole, name}) {
    if (metrics.horizontalAdvance(each) <= width - 2 * text_margin) return each;
  }
  const QString shortest = shown(node.name);
  return metrics.horizontalAdvance(shortest) <= width - 2 * least_margin ? shortest : QString();
}

void IcicleView::paint_box(QPainter& painter, const IcicleBox& box) const {
  const Theme theme = theme_of(palette());
  const QRectF area = rectangle(box).adjusted(0.5, 0.5, -0.5, -0.5);
  const std::optional<Band>& band = tree_.nodes[box.node].band;
  const QColor colour = band ? band_colour(*band, theme) : group_colour(theme, box.row);
  painter.fillRect(area, colour);
  // A gap between two greys is hard to see, so boxes have an outline in a high-contrast theme.
  // Boxes of a few pixels have no room for an outline.
  if (theme.high_contrast && area.width() >= least_label) {
    painter.setPen(theme.text);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area.adjusted(0, 0, -1, -1));
  }
  const QString text = label(box, area.width());
  if (text.isEmpty()) return;
  const double room = area.width() - QFontMetricsF(font()).horizontalAdvance(text);
  const double margin = std::clamp(room / 2, least_margin, text_margin);
  painter.setPen(text_colour_on(colour));
  painter.drawText(area.adjusted(margin, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
}

void IcicleView::paint_boxes(QPainter& painter, double bottom) const {
  for (const IcicleBox& box : boxes_) {
    if (rectangle(box).top() < bottom) paint_box(painter, box);
  }
}

Picture IcicleView::picture(const QString& title) {
  if (boxes_.empty()) return {};
  const QSize whole(chart_width(), std::max(height(), rows_height()));
  return recorded(*this, title, whole, [&](QPainter& painter) {
    painter.fillRect(QRect({}, whole), theme_of(palette()).canvas);
    painter.translate(0, scroll_->value());
    paint_boxes(painter, whole.height());
  });
}

PictureData IcicleView::picture_data() {
  if (boxes_.empty()) return {};
  return [tree = tree_, bytes = bytes_, top = top_] { return icicle_table(tree, bytes, top); };
}

void IcicleView::paintEvent(QPaintEvent*) {
  const Theme theme = theme_of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.canvas);
  paint_boxes(painter, height());
  if (boxes_.empty()) {
    painter.setPen(theme.muted);
    painter.drawText(rect(), Qt::AlignCenter, tr("No tensor is alive at the cursor."));
    return;
  }
  painter.setPen(QPen(theme.accent, 2));
  painter.setBrush(Qt::NoBrush);
  for (const IcicleBox& box : boxes_) {
    if (is_marked(box)) painter.drawRect(rectangle(box).adjusted(0.5, 0.5, -0.5, -0.5));
  }
  const IcicleBox* const current = hasFocus() ? current_box() : nullptr;
  if (current == nullptr) return;
  painter.drawRect(rectangle(*current).adjusted(1, 1, -1, -1));
}

void IcicleView::mark(std::vector<BufferId> buffers) {
  if (marked_ == buffers) return;
  marked_ = std::move(buffers);
  update();
}

bool IcicleView::is_marked(const IcicleBox& box) const {
  const BufferId buffer = tree_.nodes[box.node].buffer;
  return buffer.valid() && std::ranges::find(marked_, buffer) != marked_.end();
}

void IcicleView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  update_boxes();
}

void IcicleView::choose(std::uint32_t node, bool added) {
  if (!added) {
    if (node == top_) {
      zoom_out();
    } else if (tree_.nodes[node].child_count > 0) {
      zoom_to(node);
    }
  }
  current_ = node;
  Q_EMIT chosen(added ? node : (tree_.nodes[node].child_count > 0 ? top_ : node), added);
  update();
}

void IcicleView::mousePressEvent(QMouseEvent* event) {
  const IcicleBox* const box = box_at(event->position());
  if (box == nullptr || event->button() != Qt::LeftButton) return;
  choose(box->node, (event->modifiers() & Qt::ControlModifier) != 0);
}

void IcicleView::wheelEvent(QWheelEvent* event) { scroll_->take_wheel(*event); }

std::optional<std::uint32_t> IcicleView::neighbour(const IcicleBox& from, int key) const {
  const auto distance = [&](const IcicleBox& box) { return std::abs(box.left - from.left); };
  const std::uint32_t row = key == Qt::Key_Down ? from.row + 1
                            : key == Qt::Key_Up ? from.row - 1
                                                : from.row;
  std::optional<std::uint32_t> nearest;
  double least = 2;
  for (const IcicleBox& box : boxes_) {
    if (box.row != row || box.node == from.node) continue;
    if (key == Qt::Key_Left && box.left >= from.left) continue;
    if (key == Qt::Key_Right && box.left <= from.left) continue;
    // Up leads to the box around `from`, down to the first box inside `from`.
    if (key == Qt::Key_Up && box.node != tree_.nodes[from.outer].parent) continue;
    if (key == Qt::Key_Down && tree_.nodes[box.outer].parent != from.node) continue;
    if (distance(box) >= least) continue;
    least = distance(box);
    nearest = box.node;
  }
  return nearest;
}

void IcicleView::move_current(int key) {
  const IcicleBox* const from = current_box();
  const auto next = from == nullptr ? std::optional(top_) : neighbour(*from, key);
  if (!next) return;
  current_ = *next;
  setAccessibleDescription(description(*next));
  scroll_->scroll_to_row(static_cast<int>(current_box()->row));
  update();
}

void IcicleView::add_keys() {
  setContextMenuPolicy(Qt::ActionsContextMenu);
  const auto add_move = [this](const QString& text, Qt::Key key) {
    add_key_action(*this, text, {key}, [this, key] { move_current(key); });
  };
  add_move(tr("Box on the left"), Qt::Key_Left);
  add_move(tr("Box on the right"), Qt::Key_Right);
  add_move(tr("Group around the box"), Qt::Key_Up);
  add_move(tr("First box of the group"), Qt::Key_Down);
  add_key_action(*this, tr("Zoom into the group and select its nodes"),
                 {Qt::Key_Return, Qt::Key_Enter},
                 [this] { choose(current_.value_or(top_), false); });
  add_key_action(*this, tr("Add the group to the selection"),
                 {Qt::CTRL | Qt::Key_Return, Qt::CTRL | Qt::Key_Enter},
                 [this] { choose(current_.value_or(top_), true); });
  add_key_action(*this, tr("Zoom out"), {Qt::Key_Backspace}, [this] { step_out(); });
}

void IcicleView::step_out() { choose(top_, false); }

bool IcicleView::event(QEvent* event) {
  if (event->type() == QEvent::FontChange) update_boxes();
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const IcicleBox* const box = box_at(help->pos());
  if (box == nullptr) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help->globalPos(), description(box->node), this,
                       rectangle(*box).toAlignedRect());
  }
  return true;
}

}  // namespace stashscope::ui
