#pragma once

#include <QTabWidget>

#include "ui/document/document.h"
#include "ui/models/order_model.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// In which order nodes run and which of them as one: strategies with their peaks, one click
/// switches; the steps themselves, to be moved; groups; the edits by hand. Below the orders, how
/// parameters are updated.
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
};

}  // namespace stashscope::ui
