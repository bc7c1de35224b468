#include "ui/panels/orders/steps_page.h"

#include <QHeaderView>
#include <QInputDialog>
#include <QVBoxLayout>
#include <array>

#include "core/study/choices/node_names.h"
#include "core/study/edits/order_edits.h"
#include "ui/document/named_edits.h"
#include "ui/panels/orders/share_delegate.h"
#include "ui/text/texts.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/widget_actions.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int least_node_width = 120;
constexpr int group_width = 60;

/// The slots in which a node can run, and the nodes that limit this range: `can run in slots 3 to
/// 9; …`.
QString range_text(const Study& study, const LegalRange& range) {
  QStringList parts = {
      range.first == range.last
          ? StepsPage::tr("can run in this slot only")
          : StepsPage::tr("can run in slots %1 to %2").arg(range.first + 1).arg(range.last + 1)};
  for (const auto& obstacle : {range.producer, range.reader}) {
    if (obstacle) parts << obstacle_text(study, *obstacle);
  }
  return parts.join(u"; "_s);
}

}  // namespace

StepsPage::StepsPage(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), view_(new StepsView), hint_(new ElidedLabel) {
  setObjectName(u"steps_page"_s);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(view_, 1);
  set_up_view();
  layout->addWidget(make_bottom_row());
  connect(&document_, &Document::study_changed, this, &StepsPage::show_study);
  connect(&document_.selection(), &LinkedSelection::changed, this, &StepsPage::show_selection);
  connect(&document_.study_job(), &StudyJob::busy_changed, this, [this] {
    // If a move led to no new study, the view goes back to the order of the document's study.
    if (!document_.study_job().is_busy()) view_->set_study(document_.study());
  });
}

void StepsPage::set_up_view() {
  view_->setObjectName(u"step_table"_s);
  view_->setAccessibleName(tr("Slots in execution order"));
  view_->setModel(&model_);
  view_->set_invitation(tr("Open a model to see and change the order of its nodes."));
  view_->setItemDelegateForColumn(StepModel::live, new ShareDelegate(StepModel::share_role, view_));
  view_->setContextMenuPolicy(Qt::ActionsContextMenu);
  view_->setTextElideMode(Qt::ElideLeft);
  view_->cut_at_end({StepModel::op});
  constexpr std::pair<int, int> widths[] = {
      {StepModel::step, 52}, {StepModel::op, 104}, {StepModel::live, 96}};
  for (const auto& [column, width] : widths) {
    view_->horizontalHeader()->resizeSection(column, width);
  }
  view_->set_flexible_column(StepModel::node, least_node_width, group_width);
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) { select_row(current.row()); });
  connect(view_, &StepsView::move_wanted, this, &StepsPage::move);
  connect(view_, &StepsView::told, this, &StepsPage::tell);
}

QWidget* StepsPage::make_bottom_row() {
  auto* const row = new QWidget;
  auto* const layout = new QHBoxLayout(row);
  layout->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  hint_->setObjectName(u"step_hint"_s);
  layout->addWidget(hint_, 1);
  QAction* const earlier =
      add_widget_action(*view_, u"step_earlier"_s, tr("Earlier"), QKeySequence(u"Alt+Shift+Up"_s),
                        tr("Moves the node and its group before the previous node or group"),
                        [this] { view_->move_by_one(-1); });
  QAction* const later =
      add_widget_action(*view_, u"step_later"_s, tr("Later"), QKeySequence(u"Alt+Shift+Down"_s),
                        tr("Moves the node and its group after the next node or group"),
                        [this] { view_->move_by_one(1); });
  QAction* const to = add_widget_action(
      *view_, u"step_move_to"_s, tr("Move to…"), QKeySequence(u"Alt+Shift+M"_s),
      tr("Moves the node to a slot whose number you type"), [this] { ask_for_step(); });
  add_widget_action(*view_, u"step_take_out"_s, tr("Take out of its group"), QKeySequence::Delete,
                    tr("Takes the node out of its group"), [this] { take_out(); });
  for (QAction* const action : {earlier, later, to}) {
    layout->addWidget(make_action_button(*action));
  }
  return row;
}

void StepsPage::show_study() {
  model_.set_study(document_.study());
  view_->set_study(document_.study());
}

void StepsPage::show_selection() {
  if (document_.study() == nullptr || select_moved()) return;
  const Selection& selection = document_.selection().current();
  const std::size_t slot =
      selection.node.valid() ? document_.selection().slot_of(selection.node) : selection.slot;
  is_following_ = true;
  view_->setCurrentIndex(model_.index(static_cast<int>(slot), StepModel::node));
  is_following_ = false;
  tell_range();
}

bool StepsPage::select_moved() {
  if (moved_.empty()) return false;
  const std::string name = std::exchange(moved_, {});
  const auto study = document_.study();
  if (std::exchange(moved_in_, nullptr) == study) return false;
  const NodeId node = NodeNames(study->graph(), study->current->dataflow).find(name);
  if (!node.valid() || node == document_.selection().node()) return false;
  document_.selection().select_node(node);
  return true;
}

void StepsPage::select_row(int row) {
  if (!is_following_ && row >= 0) document_.selection().select_slot(static_cast<std::size_t>(row));
}

void StepsPage::move(NodeId node, NodeId before) {
  const Study& study = *document_.study();
  moved_in_ = document_.study();
  moved_ = NodeNames(study.graph(), study.current->dataflow).of(node);
  choose_named(document_, with_move(study, document_.choices(), node, before),
               std::array{node, before.valid() ? before : node},
               tr("Move %1").arg(node_text(study, node)), u"move:"_s + shown(moved_));
}

void StepsPage::take_out() {
  const NodeId node = view_->current_node();
  if (!node.valid()) return;
  const Study& study = *document_.study();
  if (!study.current->groups.of(node).valid()) return tell(tr("The node is in no group."), true);
  choose_named(document_, with_nodes_alone(study, document_.choices(), {{node}}), {{node}},
               tr("Run %1 alone").arg(node_text(study, node)));
}

void StepsPage::ask_for_step() {
  const auto range = view_->current_range();
  if (!range) return;
  const Study& study = *document_.study();
  const QString name = node_text(study, view_->current_node());
  const QString text = tr("%1 %2").arg(name, range_text(study, *range));
  if (range->first == range->last) return tell(text, true);
  auto* const dialog = new QInputDialog(this);
  dialog->setObjectName(u"move_to_dialog"_s);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Move to slot"));
  dialog->setLabelText(text + u"."_s);
  dialog->setInputMode(QInputDialog::IntInput);
  dialog->setIntRange(static_cast<int>(range->first) + 1, static_cast<int>(range->last) + 1);
  dialog->setIntValue(view_->currentIndex().row() + 1);
  connect(dialog, &QInputDialog::intValueSelected, view_,
          [this](int step) { view_->move_to(static_cast<std::size_t>(step) - 1); });
  dialog->open();
}

void StepsPage::tell(const QString& text, bool is_refusal) {
  // A colour role follows a change of the theme; a fixed colour does not.
  hint_->setForegroundRole(is_refusal ? QPalette::BrightText : QPalette::PlaceholderText);
  hint_->setText(text);
  hint_->setToolTip(text);
}

void StepsPage::tell_range() {
  const auto range = view_->current_range();
  if (range) tell(range_text(*document_.study(), *range), false);
}

}  // namespace stashscope::ui
