#include "ui/models/order_model.h"

#include "ui/text/texts.h"
#include "ui/theme/style.h"

namespace stashscope::ui {

OrderModel::OrderModel(QObject* parent)
    : StudyModel({{tr("Order"), tr("Strategy that orders the nodes of the step"), false},
                  {tr("Peak"), tr("Most bytes alive in any slot, with the current plans"), true,
                   bytes_unit()},
                  {tr("Change"), tr("Difference from the peak with the current order"), true}},
                 parent) {}

bool OrderModel::same_rows(const Study& a, const Study& b) const {
  return order_rows(a).size() == order_rows(b).size();
}

QVariant OrderModel::cell(int row, int column, int role) const {
  const OrderRow order = at(row);
  switch (role) {
    case Qt::DisplayRole:
      return text(order, column);
    case Qt::ToolTipRole:
      return tool_tip(order, column);
    case Qt::CheckStateRole:
      if (column == Column::name) return is_chosen(order) ? Qt::Checked : Qt::Unchecked;
      return {};
    case exclusive_role:
      return true;
    case exact_role:
      if (column != Column::peak || !order.peak_bytes) return {};
      return static_cast<qlonglong>(*order.peak_bytes);
    case sort_role:
      // Sorting by the change of the peak gives the same order as sorting by the peak, so the
      // column of the change is sorted by the peak.
      if (column != Column::change || !order.peak_bytes) return {};
      return static_cast<qlonglong>(*order.peak_bytes);
    default:
      return {};
  }
}

QString OrderModel::name_text(const OrderRow& row) {
  const QString name = shown(row.name);
  if (!row.taken.empty()) return tr("%1: %2").arg(name, shown(row.taken));
  if (!row.bound_bytes || !row.peak_bytes) return name;
  const bool is_proven = *row.bound_bytes >= *row.peak_bytes;
  return is_proven ? tr("%1: proven").arg(name)
                   : tr("%1: ≥ %2").arg(name, bytes_text(*row.bound_bytes));
}

QString OrderModel::tool_tip(const OrderRow& row, int column) {
  QStringList lines = {shown(row.description)};
  if (column == Column::peak && row.peak_bytes) lines.prepend(exact_bytes_text(*row.peak_bytes));
  if (!row.method.empty()) lines << tr("Found by: %1").arg(shown(row.method));
  if (row.bound_bytes) {
    lines << tr("No order has a lower peak than %1.").arg(bytes_text(*row.bound_bytes));
  }
  return lines.join(u'\n');
}

QString OrderModel::text(const OrderRow& row, int column) const {
  const std::int64_t now = study().current->timeline.peak_bytes;
  switch (column) {
    case Column::name:
      return name_text(row);
    case Column::peak:
      return row.peak_bytes ? peak_text(*row.peak_bytes, now, unit()) : tr("when chosen");
    default:
      return is_chosen(row) || !row.peak_bytes ? QString() : change_text(now, *row.peak_bytes);
  }
}

}  // namespace stashscope::ui
