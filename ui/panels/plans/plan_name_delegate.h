#pragma once

#include <QPersistentModelIndex>
#include <map>

#include "ui/text/distinct_names.h"
#include "ui/widgets/name_delegate.h"

namespace stashscope::ui {

/// Paints the names of plans. A name that does not fit is cut at a module or word, such that it
/// still tells the row from those beside it.
class PlanNameDelegate : public NameDelegate {
  Q_OBJECT

 public:
  using NameDelegate::NameDelegate;

  /// To be called when the rows have changed.
  void forget_names() { names_.clear(); }

 protected:
  QString shortened(const QModelIndex& index, const Fits& fits) const override;

 private:
  /// The names of the rows with the same parent.
  const DistinctNames& names_beside(const QModelIndex& index) const;

  mutable std::map<QPersistentModelIndex, DistinctNames>
      names_;  ///< by parent, as they are painted
};

}  // namespace stashscope::ui
