#include "ui/panels/orders_panel.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include "ui/models/texts.h"
#include "ui/panels/update_row.h"

namespace stashscope::ui {

OrdersPanel::OrdersPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), table_(new TableView) {
  setObjectName(QStringLiteral("orders_panel"));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(table_);
  layout->addWidget(new UpdateRow(document));
  table_->setObjectName(QStringLiteral("order_table"));
  table_->setAccessibleName(tr("Execution orders"));
  table_->setModel(&model_);
  table_->set_invitation(tr("Open a model to compare orders of execution."));
  table_->horizontalHeader()->resizeSection(OrderModel::name, 168);
  table_->horizontalHeader()->resizeSection(OrderModel::peak, 96);
  connect(table_, &QTableView::clicked, this, &OrdersPanel::switch_to);
  connect(table_, &QTableView::activated, this, &OrdersPanel::switch_to);
  connect(&document_, &Document::study_changed, this,
          [this] { model_.set_study(document_.study()); });
}

void OrdersPanel::switch_to(const QModelIndex& index) {
  Choices choices = document_.choices();
  choices.order = model_.order_row(index.row()).name;
  document_.choose(choices, tr("Order %1").arg(shown(choices.order)));
}

}  // namespace stashscope::ui
