#include "ui/models/plan_filter.h"

#include "ui/models/plan_tree_model.h"

namespace stashscope::ui {

PlanFilter::PlanFilter(PlanTreeModel& plans, QObject* parent)
    : QSortFilterProxyModel(parent), plans_(plans) {
  setSortRole(PlanTreeModel::sort_role);
  setSortCaseSensitivity(Qt::CaseInsensitive);
  setRecursiveFilteringEnabled(true);
  setAutoAcceptChildRows(true);
  setSourceModel(&plans);
}

void PlanFilter::look_for(const QString& text) {
  text_ = text.trimmed();
  invalidateFilter();
}

bool PlanFilter::has_text(const QModelIndex& index) const {
  return source_has_text(mapToSource(index));
}

bool PlanFilter::source_has_text(const QModelIndex& index) const {
  for (int column = 0; column < plans_.columnCount(); ++column) {
    const QString text = index.siblingAtColumn(column).data().toString();
    if (text.contains(text_, Qt::CaseInsensitive)) return true;
  }
  return false;
}

bool PlanFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  return text_.isEmpty() || source_has_text(plans_.index(row, 0, parent));
}

bool PlanFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const bool is_ascending = sortOrder() == Qt::AscendingOrder;
  if (plans_.kind(left) == PlanTreeModel::Kind::section) return !is_ascending;
  if (plans_.kind(right) == PlanTreeModel::Kind::section) return is_ascending;
  if (QSortFilterProxyModel::lessThan(left, right)) return true;
  // Rows with equal values always have the same order, whatever column was sorted before.
  if (QSortFilterProxyModel::lessThan(right, left)) return false;
  return is_ascending ? left.row() < right.row() : right.row() < left.row();
}

}  // namespace stashscope::ui
