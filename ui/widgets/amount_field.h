#pragma once

#include <QLineEdit>

namespace stashscope::ui {

/// A field for an amount such as `123.45 GiB`. Its width follows the size of the text.
class AmountField : public QLineEdit {
 public:
  explicit AmountField(const QString& text = {});

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }
};

}  // namespace stashscope::ui
