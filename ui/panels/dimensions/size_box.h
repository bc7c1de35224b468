#pragma once

#include <QSpinBox>

namespace stashscope::ui {

/// A spin box for a size. The user can type `0` and negative numbers, and `refused` reports them.
/// If the box did not accept the minus sign, its key would silently do nothing.
class SizeBox : public QSpinBox {
  Q_OBJECT

 public:
  using QSpinBox::QSpinBox;

 Q_SIGNALS:
  /// The typed number is below 1. The box returns to the size that it had.
  void refused(const QString& typed);

 protected:
  QValidator::State validate(QString& text, int& place) const override;
  void fixup(QString& text) const override;

 private:
  QString number_in(const QString& text) const;
};

}  // namespace stashscope::ui
