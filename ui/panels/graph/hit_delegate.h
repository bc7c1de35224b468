#pragma once

#include "ui/widgets/name_delegate.h"

namespace stashscope::ui {

/// Paints the hits of a search. A hit begins with a word, such as an operator, and two spaces. This
/// word always stays. The text after it is cut at its left end, at a module where possible.
class HitDelegate : public NameDelegate {
  Q_OBJECT

 public:
  using NameDelegate::NameDelegate;

 protected:
  QString shortened(const QModelIndex& index, const Fits& fits) const override;
};

}  // namespace stashscope::ui
