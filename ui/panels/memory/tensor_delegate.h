#pragma once

#include <array>
#include <functional>
#include <optional>

#include "ui/text/distinct_names.h"
#include "ui/widgets/cell_delegate.h"

namespace stashscope::ui {

/// Paints the names of tensors, shortened such that they still tell the rows apart.
class TensorDelegate : public CellDelegate {
  Q_OBJECT

 public:
  /// @param all gives the names of all rows; called before the first row is painted
  TensorDelegate(std::function<QStringList()> all, QObject* parent)
      : CellDelegate(parent), all_(std::move(all)) {}

  /// To be called when the names have changed.
  void forget_names() { names_.reset(); }
  /// The text in a cell of this width, in pixels.
  QString text_in(int width, const QStyleOptionViewItem& option, const QModelIndex& index) const;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

 private:
  std::function<QStringList()> all_;
  mutable std::optional<DistinctNames> names_;  ///< empty until a row is painted
  mutable std::array<int, 128> widths_{};       ///< widths of ASCII characters in `widths_font_`
  mutable std::optional<QFont> widths_font_;
};

}  // namespace stashscope::ui
