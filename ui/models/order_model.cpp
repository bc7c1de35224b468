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

QString OrderModel::name_text(const OrderRow& row) {
  const QString name = QString::fromStdString(row.name);
  return row.taken.empty() ? name : tr("%1: %2").arg(name, QString::fromStdString(row.taken));
}

QString OrderModel::text(const OrderRow& row, int column) const {
  const std::int64_t now = study().current->timeline.peak_bytes;
  switch (column) {
    case Column::name:
      return name_text(row);
    case Column::peak:
      return row.peak_bytes ? bytes_text(*row.peak_bytes) : tr("when chosen");
    default:
      return is_chosen(row) || !row.peak_bytes ? QString() : change_text(now, *row.peak_bytes);
  }
}

}  // namespace stashscope::ui
