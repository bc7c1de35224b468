#include "ui/panels/graph/graph_actions.h"

#include <QApplication>
#include <QClipboard>
#include <set>

#include "core/study/choices/node_names.h"
#include "core/study/edits/edits.h"
#include "core/study/edits/node_edits.h"
#include "core/study/facts/node_facts.h"
#include "core/study/facts/opened_operator.h"
#include "core/study/facts/plan_facts.h"
#include "ui/document/named_edits.h"
#include "ui/text/enabling.h"
#include "ui/text/texts.h"
#include "ui/theme/icons.h"
#include "ui/widgets/drop_menu.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr std::size_t most_followed = 24;

/// The nodes that read a tensor that no node makes.
std::vector<layout::Neighbour> readers_of(const Topology& topology, ValueId tensor) {
  std::vector<layout::Neighbour> readers;
  for (const NodeId reader : topology.readers[tensor]) readers.push_back({reader, tensor});
  return readers;
}

/// Why a tensor that no node makes is alive.
QString why_given_is_alive(const Study& study, ValueId tensor) {
  const BufferId buffer = study.current->timeline.buffer_of[tensor];
  if (!buffer.valid()) return GraphActions::tr("No node reads this tensor.");
  if (study.current->timeline.buffers[buffer].persistent) {
    return GraphActions::tr(
        "This tensor exists before the step and stays in memory to its end. No plan frees it.");
  }
  const auto last = last_read(study, buffer);
  if (!last) return GraphActions::tr("No node reads this tensor.");
  const std::string reader = name_of(study.graph(), study.current->dataflow, last->reader);
  return GraphActions::tr("%1 reads this tensor last, in slot %2.")
      .arg(shown(reader))
      .arg(last->slot + 1);
}

}  // namespace

GraphActions::GraphActions(Document& document, GraphView& view, QObject* parent)
    : QObject(parent), document_(document), view_(view) {
  using Self = GraphActions;
  recompute_ = add(u"recompute"_s, tr("&Recompute"), QKeySequence(u"R"_s), &Self::recompute);
  pin_ = add(u"pin"_s, tr("&Keep in memory (pin)"), QKeySequence(u"K"_s), &Self::pin);
  recompute_->setCheckable(true);
  pin_->setCheckable(true);
  follow_input_ = add(u"follow_input"_s, tr("Follow an &input"), QKeySequence(u"Alt+Up"_s),
                      &Self::follow_input);
  follow_output_ = add(u"follow_output"_s, tr("Follow an &output"), QKeySequence(u"Alt+Down"_s),
                       &Self::follow_output);
  path_ =
      add(u"stash_path"_s, tr("Select the stash &path"), QKeySequence(u"P"_s), &Self::show_path);
  why_not_ = add(u"why_not"_s, tr("&Why no plan"), QKeySequence(u"W"_s), &Self::say_why_not);
  plan_row_ = add(u"show_plan_row"_s, tr("Show in the plan &table"), QKeySequence(u"T"_s),
                  &Self::show_plan_row);
  isolate_ = add(u"isolate"_s, tr("I&solate"), QKeySequence(u"I"_s), &Self::isolate);
  isolate_->setCheckable(true);
  isolate_further_ = add(u"isolate_further"_s, tr("Isolate one tensor &further"),
                         QKeySequence(u"Shift+I"_s), &Self::isolate_further);
  copy_name_ = add(u"copy_name"_s, tr("&Copy name"), QKeySequence::Copy, &Self::copy_name);
  peak_view_ = add(u"peak_view"_s, tr("Peak &view: fade what is not alive at the memory cursor"),
                   QKeySequence(u"A"_s), &Self::change_peak_view);
  peak_view_->setCheckable(true);
  peak_view_->setIcon(icon(Icon::peak));
  peak_view_->setToolTip(tr("Fade what is not alive at the memory cursor (A)"));
  fit_ = add(u"fit_graph"_s, tr("Show &all of the graph"), QKeySequence(u"F"_s), &Self::fit);
  connect(&document_.selection(), &LinkedSelection::changed, this, &GraphActions::enable);
  connect(&document_, &Document::study_changed, this, &GraphActions::enable);
  connect(&view_, &GraphView::menu_wanted, this, &GraphActions::show_menu);
  connect(&view_, &GraphView::isolation_changed, this, &GraphActions::enable);
  enable();
}

QAction* GraphActions::add(const QString& name, const QString& text, const QKeySequence& shortcut,
                           void (GraphActions::*run)()) {
  auto* const action = new QAction(text, this);
  action->setObjectName(name);
  action->setShortcut(shortcut);
  action->setShortcutContext(Qt::WidgetShortcut);
  connect(action, &QAction::triggered, this, run);
  view_.addAction(action);
  all_.push_back(action);
  return action;
}

bool GraphActions::is_current() const {
  return view_.scene() != nullptr && view_.scene()->picture().study == document_.study();
}

void GraphActions::enable() {
  const bool has_selection = !selected().empty();
  for (QAction* const action :
       {follow_input_, follow_output_, path_, isolate_further_, copy_name_}) {
    action->setEnabled(has_selection);
  }
  enable_plans();
  enable_plan_row();
  const Selection& selection = document_.selection().current();
  why_not_->setEnabled(selection.node.valid() || selection.tensor.valid());
  isolate_->setEnabled(has_selection || view_.isolation());
  isolate_->setChecked(view_.isolation().has_value());
}

/// Enables and ticks the actions that recompute and pin. Such an action is ticked if its effect is
/// on for every selected node that has a plan.
void GraphActions::enable_plans() {
  const PlannedNodes found =
      document_.study() == nullptr ? PlannedNodes() : planned_nodes(*document_.study(), planned());
  recompute_->setEnabled(!found.on.empty() || !found.off.empty());
  recompute_->setChecked(!found.on.empty() && found.off.empty());
  pin_->setEnabled(recompute_->isEnabled());
  pin_->setChecked(found.on.empty() && !found.pinned.empty() &&
                   found.pinned.size() == found.off.size());
}

/// The nodes to whose plans the actions apply: usually the selected nodes. If several nodes are
/// selected and none has a plan, as in the backward box of a group, all nodes of their groups: the
/// forward box of the group has the plans.
std::vector<NodeId> GraphActions::planned() const {
  const std::vector<NodeId>& nodes = selected();
  if (nodes.size() < 2 || !is_current()) return nodes;
  const Study& study = *document_.study();
  const PlannedNodes own = planned_nodes(study, nodes);
  if (!own.on.empty() || !own.off.empty()) return nodes;
  const auto& group_of = view_.scene()->picture().grouping->group_of;
  const Dataflow& dataflow = study.current->dataflow;
  std::set<layout::GroupId> groups;
  for (const NodeId node : nodes) groups.insert(group_of[dataflow.origin(node)]);
  std::vector<NodeId> partners;
  for (const NodeId node : IdRange<NodeId>(study.graph().nodes().size())) {
    if (group_of[node].valid() && groups.contains(group_of[node])) partners.push_back(node);
  }
  return partners;
}

/// The node whose row `Show in the plan table` shows: the selected node, or a node of the selected
/// group that has a row, preferably one whose plan is on. Invalid if there is none.
NodeId GraphActions::node_with_row() const {
  const auto& study = document_.study();
  if (study == nullptr) return {};
  const NodeId node = document_.selection().node();
  const PlannedNodes found = node.valid() ? PlannedNodes() : planned_nodes(*study, planned());
  if (node.valid()) return node;
  if (!found.on.empty()) return found.on.front();
  return found.off.empty() ? NodeId() : found.off.front();
}

void GraphActions::enable_plan_row() {
  const NodeId node = node_with_row();
  if (!node.valid()) {
    return enable_unless(*plan_row_,
                         selected().empty() ? tr("Select a node first")
                                            : tr("The plan table has no row for these nodes"),
                         {});
  }
  const Study& study = *document_.study();
  const bool has_row = table_place(study, study.current->dataflow.origin(node)).has_value();
  enable_unless(*plan_row_, has_row ? QString() : tr("The plan table has no row for this node"),
                {});
}

void GraphActions::show_plan_row() { Q_EMIT plan_row_wanted(node_with_row()); }

void GraphActions::recompute() {
  const Study& study = *document_.study();
  const std::vector<NodeId> nodes = planned();
  const bool on = !planned_nodes(study, nodes).off.empty();
  const QString text = on ? tr("Recompute %1") : tr("Do not recompute %1");
  choose_named(document_, with_nodes_recomputed(study, document_.choices(), nodes, on),
               nodes_with_plans(study), text.arg(name_of_selection()));
  enable();
}

void GraphActions::pin() {
  const Study& study = *document_.study();
  const PlannedNodes found = planned_nodes(study, planned());
  std::vector<NodeId> nodes = found.on;
  nodes.insert(nodes.end(), found.off.begin(), found.off.end());
  const bool on = found.pinned.size() < nodes.size();
  const QString text = on ? tr("Keep %1 in memory") : tr("No longer keep %1 in memory");
  choose_named(document_, with_pinned(study, document_.choices(), nodes, on), nodes,
               text.arg(name_of_selection()));
  enable();
}

std::vector<layout::Neighbour> GraphActions::neighbours(Way way) const {
  if (!is_current()) return {};
  const Topology& topology = document_.study()->current->dataflow.topology;
  const ValueId tensor = document_.selection().current().tensor;
  if (tensor.valid() && way == Way::to_inputs) return {};
  if (tensor.valid()) return readers_of(topology, tensor);
  return way == Way::to_inputs ? layout::makers_before(topology, selected())
                               : layout::readers_after(topology, selected());
}

void GraphActions::follow(Way way) {
  const std::vector<layout::Neighbour> found = neighbours(way);
  if (found.empty()) {
    Q_EMIT said(
        way == Way::to_inputs
            ? tr("The selection has no predecessor: it reads nothing that another node makes.")
            : tr("The selection has no successor: no other node reads its outputs."));
    return;
  }
  if (found.size() == 1) {
    Q_EMIT node_wanted(found.front().node);
    return;
  }
  QMenu* const menu = follow_menu(way, &view_);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->popup(view_.menu_place());
  menu->setActiveAction(menu->actions().front());
}

QMenu* GraphActions::follow_menu(Way way, QWidget* parent) {
  auto* const menu = new QMenu(parent);
  menu->setObjectName(way == Way::to_inputs ? u"follow_input_menu"_s : u"follow_output_menu"_s);
  menu->setTitle(way == Way::to_inputs ? tr("Follow an &input\tAlt+Up")
                                       : tr("Follow an &output\tAlt+Down"));
  const std::vector<layout::Neighbour> found = neighbours(way);
  for (std::size_t i = 0; i < std::min(found.size(), most_followed); ++i) {
    menu->addAction(text_of(found[i]), this,
                    [this, node = found[i].node] { Q_EMIT node_wanted(node); });
  }
  if (found.size() > most_followed) {
    menu->addAction(tr("and %1 more").arg(found.size() - most_followed))->setEnabled(false);
  }
  menu->setEnabled(!found.empty());
  return menu;
}

QString GraphActions::text_of(const layout::Neighbour& neighbour) const {
  const Study& study = *document_.study();
  const Dataflow& dataflow = study.current->dataflow;
  const std::string name = shown_name(study.graph(), dataflow, neighbour.node);
  const QString text =
      u"%1  %2\t%3"_s.arg(shown(opened_operator(study, dataflow.origin(neighbour.node))),
                          shown(name.substr(name.rfind('/') + 1)),
                          bytes_text(stored_value(study, neighbour.value).bytes));
  return menu_text(text);
}

/// Several values may share one buffer. For each selected node, finds the last read of the buffer
/// of the node's output, and the value that is read there. Returns the producers of these values.
std::vector<NodeId> GraphActions::sharers_of_memory() const {
  const Study& study = *document_.study();
  std::vector<NodeId> makers;
  for (const NodeId node : selected()) {
    const auto last = last_read_of_memory(study, node);
    if (!last) continue;
    const NodeId maker = study.current->dataflow.topology.producer[last->value];
    if (maker.valid()) makers.push_back(maker);
  }
  return makers;
}

void GraphActions::show_path() {
  if (!is_current()) return;
  const layout::Grouping& grouping = *view_.scene()->picture().grouping;
  const Dataflow& dataflow = document_.study()->current->dataflow;
  std::vector<NodeId> path = layout::activation_path(dataflow, grouping, selected());
  if (path.empty()) path = layout::activation_path(dataflow, grouping, sharers_of_memory());
  if (path.empty()) {
    Q_EMIT said(tr("The selection neither makes nor reads a stashed activation."));
    return;
  }
  const std::size_t first = document_.selection().slot_of(path.front());
  document_.selection().select_nodes(std::move(path),
                                     tr("Stash path of %1").arg(name_of_selection()), first);
}

void GraphActions::say_why_not() {
  if (!is_current() || !why_not_->isEnabled()) return;
  const Study& study = *document_.study();
  Q_EMIT inspector_wanted();
  const ValueId tensor = document_.selection().current().tensor;
  if (tensor.valid()) return Q_EMIT said(why_given_is_alive(study, tensor));
  const NodeId node = study.current->dataflow.origin(document_.selection().node());
  QStringList reasons;
  for (const Obstacle* const obstacle : obstacles_of_node(study, node)) {
    reasons << shown(obstacle->rule);
  }
  if (!reasons.isEmpty()) {
    Q_EMIT said(tr("No plan: %1").arg(reasons.join(u"; "_s)));
  } else if (!plans_of_node(study, node).empty()) {
    Q_EMIT said(tr("A plan exists for the activation of this node; the inspector shows it."));
  } else {
    Q_EMIT said(why_alive(document_.selection().node()));
  }
}

/// Why the memory of a node without a plan stays alive.
QString GraphActions::why_alive(NodeId node) const {
  const Study& study = *document_.study();
  const Dataflow& dataflow = study.current->dataflow;
  const auto last = last_read_of_memory(study, node);
  if (!last) return tr("No node reads the output of this node.");
  const QString reader = shown(name_of(study.graph(), dataflow, last->reader));
  const QString slot = QString::number(last->slot + 1);
  const auto& outputs = dataflow.topology.outputs[node];
  if (std::find(outputs.begin(), outputs.end(), last->value) != outputs.end()) {
    return tr("%1 reads the output last, in slot %2. The output is not stashed for backward, so "
              "there is nothing to recompute.")
        .arg(reader, slot);
  }
  return tr("The output shares its memory with %1, which %2 reads last, in slot %3. Look for a "
            "plan that frees %1.")
      .arg(shown(name_of(study.graph(), dataflow, last->value)), reader, slot);
}

void GraphActions::isolate() { view_.isolate(view_.isolation() ? std::nullopt : std::optional(1)); }

void GraphActions::isolate_further() { view_.isolate(view_.isolation().value_or(0) + 1); }

void GraphActions::copy_name() {
  if (is_current()) QApplication::clipboard()->setText(name_of_selection());
}

QString GraphActions::name_of_selection() const {
  const Selection& selection = document_.selection().current();
  if (!selection.node.valid()) return selection.title;
  const Study& study = *document_.study();
  return shown(shown_name(study.graph(), study.current->dataflow, selection.node));
}

void GraphActions::add_toggle(QMenu& menu) {
  const auto group = view_.selected_group();
  if (!group) return;
  const layout::DrawnBox& box = view_.scene()->drawing().boxes[*group];
  const QString text = box.is_open() ? tr("Close &group %1\tReturn") : tr("Open &group %1\tReturn");
  menu.addAction(text.arg(menu_text(shown(box.title))), &view_, &GraphView::toggle_selected)
      ->setObjectName(u"toggle_group"_s);
}

void GraphActions::show_menu(QPoint place) {
  auto* const menu = new QMenu(&view_);
  menu->setObjectName(u"graph_menu"_s);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  if (!selected().empty() && is_current()) {
    menu->addActions({recompute_, pin_, why_not_, plan_row_});
    menu->addSeparator();
    menu->addMenu(follow_menu(Way::to_inputs, menu));
    menu->addMenu(follow_menu(Way::to_outputs, menu));
    menu->addAction(path_);
    menu->addSeparator();
    add_toggle(*menu);
    menu->addActions({isolate_, isolate_further_, copy_name_});
    menu->addSeparator();
  }
  menu->addActions({peak_view_, fit_});
  menu->addSeparator();
  menu->addActions(picture_actions(view_));
  menu->popup(place);
}

}  // namespace stashscope::ui
