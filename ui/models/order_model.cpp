#include "ui/models/order_model.h"

#include "ui/models/texts.h"

namespace stashscope::ui {

OrderModel::OrderModel(QObject* parent)
    : StudyModel({{tr("Order"), tr("How the nodes of the step are brought into an order"), false},
                  {tr("Peak"), tr("Most bytes alive at any step, with the plans chosen"), true},
                  {tr("Against now"), tr("Difference to the order that is in use"), true}},
                 parent) {}

bool OrderModel::same_rows(const Study& a, const Study& b) const {
  return a.orders.size() == b.orders.size();
}

QVariant OrderModel::cell(int row, int column, int role) const {
  const OrderRow& order = order_row(row);
  switch (role) {
    case Qt::DisplayRole:
      return text(order, column);
    case Qt::ToolTipRole:
      return QString::fromStdString(order.description);
    case Qt::CheckStateRole:
      if (column == Column::name) return is_chosen(order) ? Qt::Checked : Qt::Unchecked;
      return {};
    default:
      return {};
  }
}

QString OrderModel::text(const OrderRow& row, int column) const {
  const std::int64_t now = study().current->timeline.peak_bytes;
  switch (column) {
    case Column::name:
      return QString::fromStdString(row.name);
    case Column::peak:
      return bytes_text(row.peak_bytes);
    default:
      return is_chosen(row) ? QString() : change_text(now, row.peak_bytes);
  }
}

}  // namespace stashscope::ui
