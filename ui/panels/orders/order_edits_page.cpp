#include "ui/panels/orders/order_edits_page.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include "ui/theme/spacing.h"
#include "ui/widgets/widget_actions.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

OrderEditsPage::OrderEditsPage(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), table_(new TableView), remove_all_(new QToolButton) {
  setObjectName(u"order_edits_page"_s);
  table_->setObjectName(u"edit_table"_s);
  table_->setAccessibleName(tr("Edits of order and groups"));
  table_->setModel(&model_);
  table_->set_invitation(tr(
      "Nodes that you move and groups that you change are listed here. Each edit can be removed."));
  table_->horizontalHeader()->resizeSection(EditModel::edit, 320);
  table_->setContextMenuPolicy(Qt::ActionsContextMenu);
  QAction* const remove =
      add_widget_action(*table_, u"remove_edit"_s, tr("Remove"), QKeySequence::Delete,
                        tr("Removes the selected edit"), [this] { this->remove(); });
  remove_all_->setObjectName(u"remove_all_edits"_s);
  remove_all_->setText(tr("Remove all"));
  remove_all_->setAutoRaise(true);
  auto* const row = new QHBoxLayout;
  row->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  row->addWidget(make_action_button(*remove));
  row->addWidget(remove_all_);
  row->addStretch(1);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(table_, 1);
  layout->addLayout(row);
  const auto enable = [this, remove] { remove->setEnabled(table_->currentIndex().isValid()); };
  connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, enable);
  connect(&model_, &EditModel::modelReset, this, enable);
  enable();
  connect(remove_all_, &QToolButton::clicked, this, &OrderEditsPage::remove_all);
  connect(&document_, &Document::study_changed, this, &OrderEditsPage::show_study);
  remove_all_->setEnabled(false);
}

void OrderEditsPage::show_study() {
  const int row = table_->currentIndex().row();
  model_.set_edits(order_edits(*document_.study()));
  const int rows = model_.rowCount();
  // Selects the next edit, so that the user can press Delete again.
  if (rows > 0 && row >= 0) table_->selectRow(std::min(row, rows - 1));
  remove_all_->setEnabled(rows > 0);
  Q_EMIT count_changed(rows);
}

void OrderEditsPage::remove() {
  const int row = table_->currentIndex().row();
  const bool is_shown =
      document_.study() != nullptr && document_.choices() == document_.study()->choices;
  if (row < 0 || !is_shown) return;
  document_.choose(
      without_edit(*document_.study(), document_.choices(), static_cast<std::size_t>(row)),
      tr("Remove: %1").arg(model_.edit_text(row)));
}

void OrderEditsPage::remove_all() {
  Choices choices = document_.choices();
  choices.order.moves.clear();
  choices.fusion.alone.clear();
  choices.fusion.apart.clear();
  document_.choose(choices, tr("Remove all edits of order and groups"));
}

}  // namespace stashscope::ui
