#include "ui/panels/graph/graph_actions.h"

#include <QApplication>
#include <QClipboard>

#include "core/study/edits/edits.h"
#include "core/study/edits/node_edits.h"
#include "core/study/facts/node_facts.h"
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
  why_not_->setEnabled(document_.selection().node().valid());
  isolate_->setEnabled(has_selection || view_.isolation());
  isolate_->setChecked(view_.isolation().has_value());
}

/// Enables and ticks the actions that recompute and pin. Such an action is ticked if its effect is
/// on for every selected node that has a plan.
void GraphActions::enable_plans() {
  const PlannedNodes planned =
      document_.study() == nullptr ? PlannedNodes() : planned_nodes(*document_.study(), selected());
  recompute_->setEnabled(!planned.on.empty() || !planned.off.empty());
  recompute_->setChecked(!planned.on.empty() && planned.off.empty());
  pin_->setEnabled(recompute_->isEnabled());
  pin_->setChecked(planned.on.empty() && !planned.pinned.empty() &&
                   planned.pinned.size() == planned.off.size());
}

void GraphActions::enable_plan_row() {
  const NodeId node = document_.selection().node();
  if (document_.study() == nullptr || !node.valid()) {
    return enable_unless(*plan_row_, tr("Select a node first"), {});
  }
  const Study& study = *document_.study();
  const bool has_row = table_place(study, study.current->dataflow.origin(node)).has_value();
  enable_unless(*plan_row_, has_row ? QString() : tr("The plan table has no row for this node"),
                {});
}

void GraphActions::show_plan_row() { Q_EMIT plan_row_wanted(document_.selection().node()); }

void GraphActions::recompute() {
  const Study& study = *document_.study();
  const bool on = !planned_nodes(study, selected()).off.empty();
  const QString text = on ? tr("Recompute %1") : tr("Do not recompute %1");
  choose_named(document_, with_nodes_recomputed(study, document_.choices(), selected(), on),
               nodes_with_plans(study), text.arg(name_of_selection()));
  enable();
}

void GraphActions::pin() {
  const Study& study = *document_.study();
  const PlannedNodes planned = planned_nodes(study, selected());
  std::vector<NodeId> nodes = planned.on;
  nodes.insert(nodes.end(), planned.off.begin(), planned.off.end());
  const bool on = planned.pinned.size() < nodes.size();
  const QString text = on ? tr("Keep %1 in memory") : tr("No longer keep %1 in memory");
  choose_named(document_, with_pinned(study, document_.choices(), nodes, on), nodes,
               text.arg(name_of_selection()));
  enable();
}

std::vector<layout::Neighbour> GraphActions::neighbours(Way way) const {
  if (!is_current()) return {};
  const Topology& topology = document_.study()->current->dataflow.topology;
  return way == Way::to_inputs ? layout::makers_before(topology, selected())
                               : layout::readers_after(topology, selected());
}

void GraphActions::follow(Way way) {
  const std::vector<layout::Neighbour> found = neighbours(way);
  if (found.empty()) {
    Q_EMIT said(way == Way::to_inputs
                    ? tr("The selection has no predecessor: it reads only inputs and parameters.")
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
  const std::string name = name_of(study.graph(), dataflow, neighbour.node);
  const QString text =
      u"%1  %2\t%3"_s.arg(shown(study.graph().node(dataflow.origin(neighbour.node)).op_type),
                          shown(name.substr(name.rfind('/') + 1)),
                          bytes_text(stored_value(study, neighbour.value).bytes));
  return menu_text(text);
}

/// Several values may share the buffer of a node's output. Returns, for each selected node, the
/// producer of the value that is read last in the buffer of the selected node's output.
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
    Q_EMIT said(tr("The selection makes and reads no stashed activation."));
    return;
  }
  const std::size_t first = document_.selection().slot_of(path.front());
  document_.selection().select_nodes(std::move(path),
                                     tr("Stash path of %1").arg(name_of_selection()), first);
}

void GraphActions::say_why_not() {
  if (!is_current() || !document_.selection().node().valid()) return;
  const Study& study = *document_.study();
  const NodeId node = study.current->dataflow.origin(document_.selection().node());
  Q_EMIT inspector_wanted();
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
  return shown(name_of(study.graph(), study.current->dataflow, selection.node));
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
