#include "ui/panels/plans/plans_panel.h"

#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>

#include "core/study/edits/edits.h"
#include "ui/document/choice_words.h"
#include "ui/document/named_edits.h"
#include "ui/models/plan_texts.h"
#include "ui/text/texts.h"
#include "ui/theme/icons.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/main_widget.h"
#include "ui/widgets/sort_menu.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;
using Kind = PlanTreeModel::Kind;

/// Appends `own` to `switches`. Occurrences of one row that follow each other become one switch.
void join_switch(const PlanSwitch& own, std::vector<PlanSwitch>& switches) {
  const bool is_same =
      !switches.empty() && switches.back().row == own.row && own.nodes && switches.back().nodes;
  if (is_same) {
    switches.back().nodes->insert(own.nodes->begin(), own.nodes->end());
  } else {
    switches.push_back(own);
  }
}

}  // namespace

PlansPanel::PlansPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      filtered_(model_),
      level_(new QComboBox),
      reference_(new QComboBox),
      filter_(new QLineEdit),
      more_(new QToolButton),
      runtime_hint_(new LinkLabel),
      tree_(new PlanTreeView),
      summary_(new ElidedLabel),
      copy_(new QToolButton),
      export_(new QToolButton) {
  setObjectName(u"plans_panel"_s);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  runtime_hint_->setObjectName(u"plans_runtime_hint"_s);
  runtime_hint_->set_hint(runtime_hint());
  runtime_hint_->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, 0);
  layout->addWidget(runtime_hint_);
  layout->addWidget(make_top_row());
  layout->addWidget(tree_, 1);
  layout->addWidget(make_bottom_row());
  set_up_tree();
  set_up_peak_changes();
  connect(runtime_hint_, &QLabel::linkActivated, this, &PlansPanel::pytorch_help_wanted);
  connect(&document_, &Document::study_changed, this, &PlansPanel::show_study);
  connect(&document_.selection(), &LinkedSelection::changed, this, &PlansPanel::follow_selection);
  connect(&document_, &Document::choices_changed, this, &PlansPanel::show_choices);
  show_study();
}

QWidget* PlansPanel::make_top_row() {
  auto* const row = new QWidget;
  auto* const layout = new QHBoxLayout(row);
  layout->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit);
  layout->setSpacing(spacing_unit);
  level_->setObjectName(u"level"_s);
  level_->setAccessibleName(tr("Level"));
  level_->addItem(tr("Level 0: as ticked"));
  level_->addItem(tr("Level 1: recompute layers"));
  level_->addItem(tr("Level 2: layers and compromises"));
  level_->setToolTip(
      tr("0: the plans ticked below. 1: every plan that recomputes inside transformer "
         "layers. 2: also plans that free only a part of an activation."));
  level_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  filter_->setObjectName(u"plan_filter"_s);
  filter_->setAccessibleName(tr("Filter plans"));
  filter_->setPlaceholderText(tr("Filter"));
  filter_->setToolTip(tr("Shows plans and nodes with this text in any column (Ctrl+Shift+F)"));
  filter_->setClearButtonEnabled(true);
  layout->addWidget(level_);
  layout->addWidget(filter_, 1);
  more_->setObjectName(u"list_extensions"_s);
  more_->setText(tr("More types"));
  more_->setToolTip(
      tr("Also lists plans that keep activations on the host or in a narrower type. ONNX Runtime "
         "does not have such plans."));
  more_->setCheckable(true);
  more_->setAutoRaise(true);
  layout->addWidget(more_);
  connect(more_, &QToolButton::toggled, &model_, &PlanTreeModel::list_extensions);
  connect(more_, &QToolButton::toggled, this, &PlansPanel::show_summary);
  connect(level_, &QComboBox::activated, this, &PlansPanel::choose_level);
  connect(filter_, &QLineEdit::textChanged, this, &PlansPanel::filter);
  connect(&document_, &Document::opened, filter_, &QLineEdit::clear);
  return row;
}

QWidget* PlansPanel::make_bottom_row() {
  auto* const row = new QWidget;
  auto* const layout = new QHBoxLayout(row);
  layout->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  summary_->setObjectName(u"plan_summary"_s);
  copy_->setObjectName(u"copy_config_button"_s);
  copy_->setIcon(icon(Icon::copy));
  copy_->setText(tr("Copy config"));
  copy_->setToolTip(
      tr("Copies the current plans in the form that the chosen version of ONNX Runtime reads"));
  export_->setObjectName(u"export_plan_button"_s);
  export_->setIcon(icon(Icon::save));
  export_->setText(tr("Export for PyTorch…"));
  export_->setToolTip(tr("Writes the plans that are on to a file for stashscope.apply"));
  set_up_versions();
  layout->addWidget(summary_, 1);
  layout->addWidget(reference_);
  for (QToolButton* const button : {copy_, export_}) {
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    layout->addWidget(button);
  }
  connect(copy_, &QToolButton::clicked, this, &PlansPanel::copy_config);
  connect(export_, &QToolButton::clicked, this, &PlansPanel::export_wanted);
  return row;
}

/// Levels, versions and config strings belong to ONNX Runtime. For a captured step, whose plans are
/// for PyTorch, they are hidden, and the button that exports the plans is shown.
void PlansPanel::show_runtime() {
  const bool is_of_pytorch = is_captured(document_.study().get());
  for (QWidget* const each : std::initializer_list<QWidget*>{level_, more_, reference_, copy_}) {
    each->setVisible(!is_of_pytorch);
  }
  export_->setVisible(is_of_pytorch);
  show_runtime_hint();
}

/// Hides the hint in a low panel, so that the rows of plans have room.
void PlansPanel::show_runtime_hint() {
  constexpr int rows_with_room = 18;
  const int row = fontMetrics().height() + CellDelegate::room_in_row;
  const Study* const study = document_.study().get();
  runtime_hint_->setVisible(study != nullptr && !is_captured(study) &&
                            height() >= rows_with_room * row);
}

void PlansPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  show_runtime_hint();
}

void PlansPanel::set_up_versions() {
  reference_->setObjectName(u"reference"_s);
  reference_->setAccessibleName(tr("Version of ONNX Runtime"));
  reference_->setToolTip(
      tr("Plans are listed, named and exported by the rules of this version of ONNX Runtime"));
  for (const ReferenceRules& each : references()) {
    reference_->addItem(tr("ONNX Runtime %1").arg(QString::fromUtf8(each.name)));
  }
  reference_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  connect(reference_, &QComboBox::activated, this, &PlansPanel::choose_reference);
}

void PlansPanel::set_up_tree() {
  tree_->setObjectName(u"plan_tree"_s);
  tree_->setAccessibleName(tr("Plans"));
  tree_->setModel(&filtered_);
  tree_->setContextMenuPolicy(Qt::CustomContextMenu);
  set_main_widget(*this, tree_);
  connect(&model_, &PlanTreeModel::switch_wanted, this, [this](const QModelIndex& index, bool on) {
    switch_items({index}, on);
    lead_to(index);
  });
  connect(&model_, &PlanTreeModel::count_wanted, this, &PlansPanel::use_count);
  connect(tree_, &PlanTreeView::switch_wanted, this, &PlansPanel::switch_selected);
  connect(tree_, &PlanTreeView::copy_wanted, this, &PlansPanel::copy_rows);
  connect(tree_, &QWidget::customContextMenuRequested, this, &PlansPanel::open_menu);
  connect(tree_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &PlansPanel::mark_selected);
  // A row may be selected because its node was selected in another view. A click on such a row does
  // not change the selection of the tree, but must mark all nodes of the row in the other views.
  connect(tree_, &QAbstractItemView::clicked, this, [this] {
    if (!leads()) mark_selected();
  });
}

/// Selects the row of a plan that was switched, unless the row is selected already.
void PlansPanel::lead_to(const QModelIndex& index) {
  const QModelIndex row = filtered_.mapFromSource(index);
  if (!tree_->selectionModel()->isRowSelected(row.row(), row.parent())) tree_->lead_to(row);
}

void PlansPanel::show_study() {
  marking_ = false;
  model_.set_study(document_.study());
  marking_ = true;
  level_->setEnabled(document_.study() != nullptr);
  reference_->setEnabled(document_.study() != nullptr);
  show_runtime();
  show_choices();
  show_invitation();
  show_summary();
}

void PlansPanel::show_invitation() {
  const auto& study = document_.study();
  const bool has_rows = model_.rowCount() > 0;
  tree_->set_invitation(study == nullptr ? tr("Open a model to see what it could recompute.")
                        : has_rows       ? tr("No plan and no node matches the filter.")
                                         : no_plans_text(*study));
}

void PlansPanel::show_summary() {
  const std::vector<const PlanRow*> rows = model_.listed();
  const QString why =
      document_.study() == nullptr || !rows.empty() ? QString() : no_plans_text(*document_.study());
  summary_->setText(rows.empty() ? why.section(u'\n', 0, 0)
                                 : plans_on_text(*document_.study(), rows));
  summary_->setToolTip(why.isEmpty() ? summary_->text() : why);
}

void PlansPanel::choose_level(int level) {
  Choices choices = document_.choices();
  choices.plans.level = level;
  document_.choose(choices, tr("Level %1").arg(level));
}

void PlansPanel::choose_reference(int index) {
  Choices choices = document_.choices();
  const ReferenceRules& rules = references()[static_cast<std::size_t>(index)];
  choices.plans.search.reference = rules.reference;
  document_.choose(choices, tr("Plans of ONNX Runtime %1").arg(QString::fromUtf8(rules.name)));
}

void PlansPanel::show_choices() {
  const PlanChoices& plans = document_.choices().plans;
  level_->setCurrentIndex(plans.level);
  const auto rules =
      std::ranges::find(references(), plans.search.reference, &ReferenceRules::reference);
  reference_->setCurrentIndex(static_cast<int>(rules - references().begin()));
}

void PlansPanel::focus_filter() {
  filter_->setFocus(Qt::ShortcutFocusReason);
  filter_->selectAll();
}

void PlansPanel::filter(const QString& text) {
  filtered_.look_for(text);
  show_invitation();
  tree_->open_again();
}

QModelIndexList PlansPanel::selected() const {
  QModelIndexList items;
  for (const QModelIndex& row : tree_->selected_rows()) items << filtered_.mapToSource(row);
  return items;
}

/// The name of the plan for a single item; otherwise the number of items, such as `3 plans`.
QString PlansPanel::text_of(const QModelIndexList& items) const {
  return items.size() == 1 ? items.front().siblingAtColumn(PlanTreeModel::plan).data().toString()
                           : tr("%1 plans").arg(items.size());
}

void PlansPanel::switch_items(const QModelIndexList& items, bool on) {
  std::vector<PlanSwitch> switches;
  QModelIndexList switched;
  for (const QModelIndex& item : items) {
    if (!item.siblingAtColumn(PlanTreeModel::plan).flags().testFlag(Qt::ItemIsUserCheckable))
      continue;
    switched << item;
    const std::optional<PlanSwitch> own = model_.switch_of(item);
    if (own) join_switch(*own, switches);
  }
  if (switched.isEmpty()) return;
  const Study& study = *document_.study();
  choose_named(document_, with_plans(study, document_.choices(), switches, on),
               nodes_with_plans(study),
               switch_text(model_.plan_row(switched.front()).type, text_of(switched), on));
}

/// Switches all selected rows on, or off if all of them are on.
void PlansPanel::switch_selected() {
  const QModelIndexList items = selected();
  const bool any_off = std::ranges::any_of(items, [](const QModelIndex& item) {
    const QVariant state = item.siblingAtColumn(PlanTreeModel::plan).data(Qt::CheckStateRole);
    return state.isValid() && state.toInt() != Qt::Checked;
  });
  switch_items(items, any_off);
}

void PlansPanel::use_count(const QModelIndex& index, int count) {
  const PlanRow& plan = model_.plan_row(index);
  document_.choose(with_plan_count(*document_.study(), document_.choices(), plan, count),
                   tr("Use %1 of %2").arg(count).arg(shown(plan.config)),
                   u"count:"_s + shown(plan.config));
}

void PlansPanel::pin_selected(bool on) {
  const QModelIndexList items = selected();
  std::vector<NodeId> nodes;
  for (const QModelIndex& item : items) {
    const std::vector<NodeId> more = model_.entries(item);
    nodes.insert(nodes.end(), more.begin(), more.end());
  }
  choose_named(document_, with_pinned(*document_.study(), document_.choices(), nodes, on), nodes,
               (on ? tr("Pin %1") : tr("Unpin %1")).arg(text_of(items)));
}

void PlansPanel::mark_selected() {
  const QModelIndexList items = selected();
  if (!marking_ || items.isEmpty() || document_.study() == nullptr) return;
  std::vector<NodeId> nodes;
  for (const QModelIndex& item : items) {
    const std::vector<NodeId> more = model_.nodes(item);
    nodes.insert(nodes.end(), more.begin(), more.end());
  }
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  marked_ = text_of(items);
  document_.selection().select_nodes(std::move(nodes), marked_);
}

/// Whether the document's selection comes from the rows of this table.
bool PlansPanel::leads() const {
  const Selection& selection = document_.selection().current();
  return !selection.node.valid() && !marked_.isEmpty() && selection.title == marked_;
}

/// The row of a node; if a closed row hides it, the topmost closed row above it. Invalid if the
/// node has no row, or if this row is a section. Does not change the tree or the filter.
QModelIndex PlansPanel::nearest_open_row(NodeId node) const {
  const Study& study = *document_.study();
  const auto place = table_place(study, study.current->dataflow.origin(node));
  if (!place) return {};
  QModelIndex row = filtered_.mapFromSource(model_.index_of(*place));
  for (QModelIndex above = row.parent(); above.isValid(); above = above.parent()) {
    if (!tree_->isExpanded(above)) row = above;
  }
  const bool is_section = row.isValid() && model_.kind(filtered_.mapToSource(row)) == Kind::section;
  return is_section ? QModelIndex() : row;
}

/// Whether the selected row can stay selected when `node` is selected in another view: it is the
/// only selected row, `nodes_led_to` lists the node for it, and it is not the parent of `row`.
/// @param row the `nearest_open_row` of the node
bool PlansPanel::is_led_to_by_selected(NodeId node, const QModelIndex& row) const {
  const QModelIndexList items = selected();
  if (items.size() != 1 || filtered_.mapToSource(row).parent() == items.front()) return false;
  return std::ranges::count(nodes_led_to(items.front()), node) > 0;
}

void PlansPanel::follow_selection() {
  if (document_.study() == nullptr || leads()) return;
  const NodeId node = document_.selection().node();
  marking_ = false;
  const QModelIndex row = node.valid() ? nearest_open_row(node) : QModelIndex();
  if (!row.isValid()) {
    tree_->clearSelection();
  } else if (!is_led_to_by_selected(node, row)) {
    tree_->lead_to(row);
  }
  marking_ = true;
}

/// The nodes whose outputs the plans of the row free; if there are none, all nodes of the row.
std::vector<NodeId> PlansPanel::nodes_led_to(const QModelIndex& item) const {
  std::vector<NodeId> nodes = model_.entries(item);
  return nodes.empty() ? model_.nodes(item) : nodes;
}

void PlansPanel::show_in_graph() {
  const QModelIndexList items = selected();
  if (items.isEmpty()) return;
  const std::vector<NodeId> nodes = nodes_led_to(items.front());
  if (!nodes.empty()) Q_EMIT node_wanted(nodes.front());
}

void PlansPanel::show_node(NodeId node) {
  const auto& study = document_.study();
  if (study == nullptr) return;
  const auto place = table_place(*study, study->current->dataflow.origin(node));
  if (!place) return;
  if (!place->tensor.valid() && place->row >= study->plan_table->plans.size())
    more_->setChecked(true);
  const QModelIndex item = model_.index_of(*place);
  if (!filtered_.mapFromSource(item).isValid()) filter_->clear();
  // The selection in the other views does not change.
  marking_ = false;
  tree_->show_row(filtered_.mapFromSource(item));
  marking_ = true;
}

QMenu* PlansPanel::make_menu() {
  auto* const menu = new QMenu(this);
  menu->setObjectName(u"plan_menu"_s);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const QModelIndexList items = selected();
  const auto any = [&](auto fits) { return std::ranges::any_of(items, fits); };
  const bool has_plans = any([&](const QModelIndex& item) {
    return model_.kind(item) == Kind::plan || model_.kind(item) == Kind::occurrence;
  });
  const auto add = [&](const QString& name, const QString& text, bool enabled, auto act) {
    QAction* const action = menu->addAction(text, this, act);
    action->setObjectName(name);
    action->setEnabled(enabled);
  };
  add(u"use_plans"_s, tr("&Use"), has_plans, [this] { switch_items(selected(), true); });
  add(u"drop_plans"_s, tr("Do &not use"), has_plans, [this] { switch_items(selected(), false); });
  menu->addSeparator();
  add(u"pin_plans"_s, tr("&Pin in memory"), has_plans, [this] { pin_selected(true); });
  add(u"unpin_plans"_s, tr("U&npin"), has_plans, [this] { pin_selected(false); });
  menu->addSeparator();
  add(u"show_in_graph"_s, tr("Show in &graph"), !items.isEmpty(), [this] { show_in_graph(); });
  const bool has_config = has_plans && !is_captured(document_.study().get());
  add(u"copy_plan_config"_s, tr("Copy con&fig"), has_config, [this] { copy_config_of_selected(); });
  add(u"copy_plan_rows"_s, tr("&Copy rows"), !items.isEmpty(), [this] { copy_rows(); });
  menu->addSeparator();
  menu->addMenu(make_sort_menu(*menu, *tree_->header()));
  menu->addActions(picture_actions(*tree_));
  return menu;
}

void PlansPanel::open_menu(QPoint place) {
  if (document_.study() == nullptr) return;
  make_menu()->popup(tree_->viewport()->mapToGlobal(place));
}

}  // namespace stashscope::ui
