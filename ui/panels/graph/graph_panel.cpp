#include "ui/panels/graph/graph_panel.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/text/counted.h"
#include "ui/text/texts.h"
#include "ui/theme/icons.h"
#include "ui/theme/spacing.h"
#include "ui/theme/text_size.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr double button_zoom = 1.25;
/// A panel at least this wide, in pixels at the normal text size, shows the label of the list of
/// colourings.
constexpr int width_with_label = 560;

QString colours_key() { return u"graph/colours"_s; }

/// Measures text in the font of the boxes, for the layout thread.
layout::TextWidth text_width() {
  return [metrics = QFontMetricsF(graph_font(title_pixels))](std::string_view text) {
    return metrics.horizontalAdvance(
        QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
  };
}

/// All nodes of a group, forward or backward (`side`), including clones and nested groups.
std::vector<NodeId> nodes_in(const GraphPicture& picture, layout::GroupId group,
                             layout::Side side) {
  const layout::Grouping& grouping = *picture.grouping;
  const Dataflow& dataflow = picture.study->current->dataflow;
  std::vector<NodeId> nodes;
  for (const NodeId node : IdRange<NodeId>(dataflow.topology.nodes())) {
    layout::GroupId at = grouping.group_of[dataflow.origin(node)];
    while (at.valid() && at != group) at = grouping.groups[at].parent;
    if (at.valid() && layout::side_of(dataflow, grouping, node) == side) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

GraphPanel::GraphPanel(Document& document, const std::filesystem::path& program, QWidget* parent)
    : QWidget(parent),
      document_(document),
      layout_(program, text_width()),
      view_(new GraphView),
      search_(new QLineEdit),
      hits_(new SearchList(*search_, this)),
      matches_label_(new QLabel),
      colour_by_(new QLabel(tr("Colour by"))),
      colours_(new QComboBox),
      legend_(new Legend),
      actions_(new GraphActions(document, *view_, this)) {
  setObjectName(u"graph_panel"_s);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_tools());
  layout->addWidget(view_, 1);
  layout->addWidget(legend_);
  connect(&document_, &Document::opened, this, [this] {
    open_.reset();
    search_->clear();
  });
  connect(&document_, &Document::study_changed, this, &GraphPanel::show_study);
  connect(&document_.selection(), &LinkedSelection::changed, this, &GraphPanel::show_selection);
  connect(&layout_, &LayoutService::drawn, this, &GraphPanel::take_picture);
  connect(&layout_, &LayoutService::degraded, this, [this](const QString& reason) {
    document_.notices().notify(tr("The graph is shown in a plain layout: %1").arg(reason));
  });
  connect_view();
}

void GraphPanel::connect_view() {
  view_->current_if([this] { return is_settled(); });
  connect(view_, &GraphView::node_clicked, this, &GraphPanel::select_node);
  connect(view_, &GraphView::group_clicked, this, &GraphPanel::select_group);
  connect(view_, &GraphView::bundle_clicked, this, &GraphPanel::select_bundle);
  connect(view_, &GraphView::toggle_wanted, this, &GraphPanel::toggle);
  connect(view_, &GraphView::nothing_clicked, &document_.selection(), &LinkedSelection::clear);
  connect(view_, &GraphView::isolation_changed, this, &GraphPanel::update_notice);
  connect(actions_, &GraphActions::node_wanted, this, [this](NodeId node) { go_to(node); });
  connect(actions_, &GraphActions::said, this, &GraphPanel::say);
  connect(actions_, &GraphActions::inspector_wanted, this, &GraphPanel::inspector_wanted);
  connect(actions_, &GraphActions::plan_row_wanted, this, &GraphPanel::plan_row_wanted);
  connect(actions_, &GraphActions::peak_view_changed, this, &GraphPanel::show_alive);
}

QWidget* GraphPanel::make_tools() {
  auto* const row = new QWidget;
  auto* const layout = new QHBoxLayout(row);
  layout->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  layout->setSpacing(spacing_unit / 2);
  set_up_search();
  set_up_colours();
  layout->addWidget(search_, 4);
  layout->addWidget(matches_label_);
  // This stretch takes only the width that the search field and the list of colourings leave.
  layout->addStretch();
  // The label "Colour by" must not limit how narrow the panel can become. A narrow panel hides it.
  colour_by_->setMinimumWidth(1);
  layout->addWidget(colour_by_);
  layout->addWidget(colours_, 3);
  layout->addSpacing(spacing_unit);
  const auto add = [&](const QString& name, Icon which, const QString& tip, auto action) {
    auto* const button = new QToolButton;
    button->setObjectName(name);
    button->setIcon(icon(which));
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setAutoRaise(true);
    connect(button, &QToolButton::clicked, this, action);
    layout->addWidget(button);
  };
  layout->addWidget(make_peak_button());
  add(u"close_groups_button"_s, Icon::collapse, tr("Close groups down to the layers"),
      [this] { close_groups(); });
  add(u"zoom_out_button"_s, Icon::zoom_out, tr("Zoom out"),
      [this] { view_->zoom_by(1 / button_zoom); });
  add(u"zoom_in_button"_s, Icon::zoom_in, tr("Zoom in"), [this] { view_->zoom_by(button_zoom); });
  add(u"fit_button"_s, Icon::fit, tr("Show all"), [this] { view_->fit(); });
  return row;
}

QWidget* GraphPanel::make_peak_button() {
  auto* const button = new QToolButton;
  button->setObjectName(u"peak_view_button"_s);
  button->setDefaultAction(&actions_->peak_view());
  button->setToolButtonStyle(Qt::ToolButtonIconOnly);
  button->setAccessibleName(tr("Peak view"));
  button->setAutoRaise(true);
  return button;
}

void GraphPanel::set_up_search() {
  search_->setObjectName(u"graph_search"_s);
  search_->setAccessibleName(tr("Search nodes and weights"));
  search_->setPlaceholderText(tr("Search nodes and weights"));
  search_->setToolTip(
      tr("Search nodes by name, module, operator or tensor, and weights and inputs by name"));
  search_->setClearButtonEnabled(true);
  search_->setMaximumWidth(280);
  search_->setMinimumWidth(40);
  matches_label_->setObjectName(u"graph_matches"_s);
  matches_label_->setForegroundRole(QPalette::PlaceholderText);
  matches_label_->setCursor(Qt::PointingHandCursor);
  matches_label_->setToolTip(tr("A click lists the hits"));
  matches_label_->installEventFilter(this);
  connect(search_, &QLineEdit::textEdited, this, [this](const QString& text) {
    search(text);
    hits_->open();
  });
  connect(search_, &QLineEdit::returnPressed, this, &GraphPanel::go_to_hit);
  connect(hits_, &SearchList::hit_chosen, this,
          [this](int row) { choose_hit(static_cast<std::size_t>(row)); });
  add_key_action(*search_, tr("Previous match"),
                 {QKeySequence(u"Shift+Return"_s), QKeySequence(u"Shift+Enter"_s)},
                 [this] { find_next(-1); });
}

void GraphPanel::set_up_colours() {
  colours_->setObjectName(u"graph_colours"_s);
  colours_->setAccessibleName(tr("Meaning of the box colours"));
  colours_->setToolTip(colours_->accessibleName());
  colours_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  colours_->setMinimumContentsLength(1);
  colours_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  colours_->setMinimumWidth(40);
  colours_->setMaximumWidth(176);
  colours_->addItem(tr("Lifetime"), u"lifetime"_s);
  colours_->addItem(tr("Bytes at the peak"), u"peak_bytes"_s);
  colours_->addItem(tr("Recompute state"), u"stash"_s);
  colours_->addItem(tr("Time"), u"time"_s);
  const int remembered = colours_->findData(QSettings().value(colours_key()));
  colours_->setCurrentIndex(std::max(0, remembered));
  view_->colour_by(static_cast<layout::Colouring>(colours_->currentIndex()));
  connect(colours_, &QComboBox::currentIndexChanged, this, &GraphPanel::colour_by);
}

void GraphPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  colour_by_->setVisible(width() >= qRound(width_with_label * text_scale()));
}

void GraphPanel::colour_by(int index) {
  QSettings().setValue(colours_key(), colours_->itemData(index));
  view_->colour_by(static_cast<layout::Colouring>(index));
  show_legend();
}

void GraphPanel::show_legend() {
  const GraphScene* const scene = view_->scene();
  legend_->set_content(scene == nullptr ? LegendContent()
                                        : legend_content(scene->drawing(), scene->colouring()));
}

bool GraphPanel::is_settled() const { return !layout_.is_busy() && is_current(); }

bool GraphPanel::is_current() const {
  return view_->scene() != nullptr && view_->scene()->picture().study == document_.study();
}

void GraphPanel::show_study() {
  request_picture_again();
  search(search_->text());
}

void GraphPanel::request_picture(bool shows_all) {
  shows_all_ = shows_all;
  layout_.request(document_.study(), open_, text_scale());
}

/// If the last requested picture has not come yet and was to be shown whole, the new picture is
/// shown whole.
void GraphPanel::request_picture_again() { request_picture(shows_all_ && layout_.is_busy()); }

/// Requests a new picture after a change of the text size, because boxes grow with their texts.
void GraphPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange && view_->scene() != nullptr) request_picture_again();
}

void GraphPanel::take_picture(std::shared_ptr<const GraphPicture> picture, bool is_final) {
  view_->set_picture(std::move(picture));
  if (is_final && std::exchange(shows_all_, false)) view_->fit();
  show_alive();
  show_legend();
  update_notice();
  if (is_current()) show_awaited();
  if (is_final && !layout_.is_busy()) Q_EMIT settled();
}

/// Fades what is not alive at the memory cursor, if the user wants this. Does not fade a picture of
/// another study, because the cursor's slot is not valid in that study.
void GraphPanel::show_alive() {
  const bool is_wanted = actions_->is_peak_view() && is_current();
  view_->show_alive_at(is_wanted ? std::optional(document_.selection().slot()) : std::nullopt);
}

void GraphPanel::say(const QString& text) {
  said_ = text;
  update_notice();
}

void GraphPanel::update_notice() {
  if (view_->scene() == nullptr) return;
  QStringList lines;
  if (!said_.isEmpty()) lines << said_;
  if (const auto& hops = view_->isolation()) {
    lines << (document_.selection().nodes().empty()
                  ? tr("Isolation: select something to isolate. Esc ends isolation.")
                  : tr("Isolated to a distance of %1: %2. "
                       "Shift+I goes one tensor further, Esc ends isolation.")
                        .arg(*hops)
                        .arg(counted(view_->scene()->boxes_near(), tr("1 box"), tr("%1 boxes"))));
  }
  if (const std::size_t closed = view_->scene()->drawing().kept_closed) {
    lines << tr("%1 closed: at most %2 boxes are drawn at once")
                 .arg(counted(closed, tr("1 group stays"), tr("%1 groups stay")))
                 .arg(layout::most_boxes);
  }
  view_->set_notice(lines.join(u'\n'));
}

void GraphPanel::toggle(layout::GroupId group) {
  if (view_->scene() == nullptr) return;
  if (view_->scene()->picture().study->model != document_.study()->model) return;
  layout::OpenGroups open = next_open();
  if (open.erase(group) == 0) open.insert(group);
  awaited_ = NodeId();
  open_ = std::move(open);
  request_picture();
}

/// The groups that are open in the requested picture; if no picture is requested, the groups that
/// are open in the shown picture. If only the shown picture counted, the second of two quick
/// changes would undo the first.
layout::OpenGroups GraphPanel::next_open() const {
  return layout_.is_busy() && open_ ? *open_ : view_->scene()->picture().open;
}

/// Shows the whole new picture: with closed groups it is smaller, and could lie out of sight.
void GraphPanel::close_groups() {
  open_.reset();
  if (document_.study() != nullptr) request_picture(true);
}

void GraphPanel::select_node(NodeId node) {
  if (is_current()) document_.selection().select_node(node);
}

void GraphPanel::select_group(layout::GroupId group, layout::Side side) {
  if (!is_current()) return;
  const GraphPicture& picture = view_->scene()->picture();
  std::vector<NodeId> nodes = nodes_in(picture, group, side);
  std::size_t first = picture.drawing.steps;
  for (const NodeId node : nodes) first = std::min(first, document_.selection().slot_of(node));
  const QString label = shown(picture.grouping->groups[group].label);
  document_.selection().select_nodes(
      std::move(nodes), side == layout::Side::forward ? label : tr("%1, backward").arg(label),
      first);
}

void GraphPanel::select_bundle(std::uint32_t bundle) {
  if (!is_current()) return;
  const layout::Drawing& drawing = view_->scene()->drawing();
  const layout::StashBundle& drawn = view_->scene()->shown().bundles[bundle];
  const std::string& from = drawing.boxes[drawn.from].title;
  const NodeId first = drawing.stashes[drawn.stashes.front()].producer;
  document_.selection().select_nodes(
      layout::nodes_of_bundle(drawing, drawn),
      tr("%1 stashed by %2").arg(bytes_text(drawn.bytes), shown(from)),
      document_.selection().slot_of(first));
}

void GraphPanel::go_to(NodeId node, LinkedSelection::Cursor cursor) {
  document_.selection().select_node(node, cursor);
  if (document_.selection().node() == node) uncover();
}

void GraphPanel::go_to(ValueId tensor) {
  document_.selection().select_tensor(tensor);
  if (document_.selection().current().tensor == tensor) uncover();
}

void GraphPanel::uncover() {
  const NodeId node = document_.selection().current().place();
  if (!node.valid()) return;
  awaited_ = node;
  awaited_study_ = document_.study();
  if (is_current()) show_awaited();
}

/// If the user went to the node `awaited_`, moves this node into view, or requests a picture in
/// which the groups around the node are open. The node stays awaited as long as a newer picture is
/// being computed.
void GraphPanel::show_awaited() {
  const bool is_wanted = awaited_.valid() && awaited_study_ == document_.study() &&
                         awaited_ == document_.selection().current().place();
  if (is_wanted && is_hidden(awaited_)) return open_around(awaited_);
  if (is_wanted) view_->reveal_closely(awaited_);
  if (layout_.is_busy()) return;
  awaited_ = NodeId();
  awaited_study_.reset();
}

layout::OpenGroups GraphPanel::groups_around(NodeId node) const {
  const GraphPicture& picture = view_->scene()->picture();
  layout::OpenGroups around;
  layout::GroupId at = picture.grouping->group_of[picture.study->current->dataflow.origin(node)];
  for (; at.valid(); at = picture.grouping->groups[at].parent) around.insert(at);
  return around;
}

/// Whether a closed group that can be opened hides the node. A group that stays closed, because too
/// many boxes would be drawn, does not count.
bool GraphPanel::is_hidden(NodeId node) const {
  const layout::Drawing& drawing = view_->scene()->drawing();
  if (!drawing.boxes[drawing.box_of[node]].shows.group.valid()) return false;
  const layout::OpenGroups& open = view_->scene()->picture().open;
  return std::ranges::any_of(groups_around(node),
                             [&](layout::GroupId each) { return !open.contains(each); });
}

void GraphPanel::open_around(NodeId node) {
  layout::OpenGroups open = next_open();
  open.merge(groups_around(node));
  open_ = std::move(open);
  request_picture();
}

void GraphPanel::show_selection() {
  said_.clear();
  view_->set_selection(document_.selection().current());
  show_hits();
  show_alive();
  if (is_current() && document_.selection().node().valid())
    view_->reveal(document_.selection().node());
  update_notice();
}

void GraphPanel::focus_search() {
  search_->setFocus();
  search_->selectAll();
}

}  // namespace stashscope::ui
