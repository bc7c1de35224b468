#pragma once

#include <array>
#include <functional>
#include <optional>

#include "ui/widgets/cell_delegate.h"

namespace stashscope::ui {

/// Paints names that are shortened where they do not fit into their cells.
class NameDelegate : public CellDelegate {
  Q_OBJECT

 public:
  using CellDelegate::CellDelegate;

  /// The text in a cell of this width, in pixels.
  QString text_in(int width, const QStyleOptionViewItem& option, const QModelIndex& index) const;

 protected:
  using Fits = std::function<bool(const QString&)>;

  /// The name of a row, shortened until it fits.
  virtual QString shortened(const QModelIndex& index, const Fits& fits) const = 0;
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

 private:
  mutable std::array<double, 128> widths_{};  ///< widths of ASCII characters in `widths_font_`
  mutable std::optional<QFont> widths_font_;
};

}  // namespace stashscope::ui
