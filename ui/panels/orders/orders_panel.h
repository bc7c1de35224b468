#pragma once

#include <QLabel>
#include <QTabWidget>

#include "ui/document/document.h"
#include "ui/models/order_model.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// Tabs for the execution orders, the slots of the current order, the fusion of nodes, and the
/// user's edits. One click chooses another order or fusion strategy. Below the table of orders are
/// the options of the parameter update.
class OrdersPanel : public QTabWidget {
  Q_OBJECT

 public:
  explicit OrdersPanel(Document& document, QWidget* parent = nullptr);

 private:
  QWidget* make_orders();
  void switch_to(const QModelIndex& index);

  Document& document_;
  OrderModel model_;
  TableView* table_;
  QLabel* note_;  ///< why there is nothing to choose; hidden otherwise
};

}  // namespace stashscope::ui
