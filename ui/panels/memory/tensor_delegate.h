#pragma once

#include <functional>
#include <optional>

#include "ui/text/distinct_names.h"
#include "ui/widgets/name_delegate.h"

namespace stashscope::ui {

/// Paints the names of tensors, shortened such that names that differ still differ.
class TensorDelegate : public NameDelegate {
  Q_OBJECT

 public:
  /// @param all gives the names of all rows; called before the first row is painted
  TensorDelegate(std::function<QStringList()> all, QObject* parent)
      : NameDelegate(parent), all_(std::move(all)) {}

  /// To be called when the names have changed.
  void forget_names() { names_.reset(); }

 protected:
  QString shortened(const QModelIndex& index, const Fits& fits) const override;

 private:
  std::function<QStringList()> all_;
  mutable std::optional<DistinctNames> names_;  ///< empty until a row is painted
};

}  // namespace stashscope::ui
