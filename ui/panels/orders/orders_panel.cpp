#include "ui/panels/orders/orders_panel.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include "ui/document/choice_words.h"
#include "ui/panels/orders/fusion_page.h"
#include "ui/panels/orders/order_edits_page.h"
#include "ui/panels/orders/steps_page.h"
#include "ui/panels/orders/update_row.h"
#include "ui/text/texts.h"
#include "ui/theme/spacing.h"

namespace stashscope::ui {

OrdersPanel::OrdersPanel(Document& document, QWidget* parent)
    : QTabWidget(parent), document_(document), table_(new TableView), note_(new QLabel) {
  setObjectName(QStringLiteral("orders_panel"));
  setDocumentMode(true);
  auto* const edits = new OrderEditsPage(document);
  addTab(make_orders(), tr("Orders"));
  addTab(new StepsPage(document), tr("Slots"));
  addTab(new FusionPage(document), tr("Fusion"));
  addTab(edits, tr("Edits"));
  connect(edits, &OrderEditsPage::count_changed, this, [this, edits](int count) {
    setTabText(indexOf(edits), count == 0 ? tr("Edits") : tr("Edits (%1)").arg(count));
  });
  connect(&document_, &Document::study_changed, this, [this] {
    model_.set_study(document_.study());
    note_->setVisible(is_captured(document_.study().get()));
  });
}

QWidget* OrdersPanel::make_orders() {
  table_->setObjectName(QStringLiteral("order_table"));
  table_->setAccessibleName(tr("Execution orders"));
  table_->setModel(&model_);
  table_->let_sort();
  table_->set_invitation(tr("Open a model to compare orders of execution."));
  table_->horizontalHeader()->resizeSection(OrderModel::name, 168);
  table_->horizontalHeader()->resizeSection(OrderModel::peak, 116);
  connect(table_, &QTableView::clicked, this, &OrdersPanel::switch_to);
  connect(table_, &QTableView::activated, this, &OrdersPanel::switch_to);
  auto* const page = new QWidget;
  auto* const layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  note_->setObjectName(QStringLiteral("order_note"));
  note_->setText(tr("A captured step keeps the order in which PyTorch ran it."));
  note_->setWordWrap(true);
  note_->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  note_->hide();
  layout->addWidget(table_, 1);
  layout->addWidget(note_);
  layout->addWidget(new UpdateRow(document_));
  return page;
}

void OrdersPanel::switch_to(const QModelIndex& index) {
  const OrderRow row = model_.order_row(index.row());
  if (row.origin == OrderOrigin::moves) return;
  Choices choices = document_.choices();
  choose_order(choices, choice_of(row.name, planned_order));
  document_.choose(choices, tr("Order %1").arg(shown(row.name)));
}

}  // namespace stashscope::ui
