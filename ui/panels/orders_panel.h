#pragma once

#include "ui/document/document.h"
#include "ui/models/order_model.h"
#include "ui/panels/table_view.h"

namespace stashscope::ui {

/// The execution orders with their peaks, one click switches; below them, how parameters are
/// updated.
class OrdersPanel : public QWidget {
  Q_OBJECT

 public:
  explicit OrdersPanel(Document& document, QWidget* parent = nullptr);

 private:
  void switch_to(const QModelIndex& index);

  Document& document_;
  OrderModel model_;
  TableView* table_;
};

}  // namespace stashscope::ui
