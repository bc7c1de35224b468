#pragma once

#include <QModelIndex>
#include <map>

#include "ui/text/distinct_names.h"
#include "ui/widgets/name_delegate.h"

namespace stashscope::ui {

/// Paints the names of plans. A name that does not fit is cut, at a module or word if possible,
/// such that it still differs from the names of the other rows with the same parent.
class PlanNameDelegate : public NameDelegate {
  Q_OBJECT

 public:
  using NameDelegate::NameDelegate;

  /// To be called when rows were added or removed, and when they change their order.
  void forget_names() { names_.clear(); }

 protected:
  QString shortened(const QModelIndex& index, const Fits& fits) const override;

 private:
  /// The names of the rows with the same parent.
  const DistinctNames& names_beside(const QModelIndex& index) const;

  /// The key is the parent. It is no persistent index, because such an index changes with the rows,
  /// and a key must not change while it is in the map.
  mutable std::map<QModelIndex, DistinctNames> names_;
};

}  // namespace stashscope::ui
