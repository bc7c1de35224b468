#include "ui/panels/plans/plan_name_delegate.h"

namespace stashscope::ui {

const DistinctNames& PlanNameDelegate::names_beside(const QModelIndex& index) const {
  const auto [known, is_new] = names_.try_emplace(index.parent());
  if (is_new) {
    QStringList names;
    const int rows = index.model()->rowCount(index.parent());
    for (int row = 0; row < rows; ++row) names << index.siblingAtRow(row).data().toString();
    known->second = DistinctNames(names);
  }
  return known->second;
}

QString PlanNameDelegate::shortened(const QModelIndex& index, const Fits& fits) const {
  QString whole = index.data().toString();
  if (fits(whole)) return whole;
  const DistinctNames& names = names_beside(index);
  const QString beginning = names.beginning(whole, fits);
  return beginning.isEmpty() ? names.shortened(whole, fits) : beginning;
}

}  // namespace stashscope::ui
