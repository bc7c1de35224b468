#pragma once

#include <QLineEdit>

namespace stashscope::ui {

/// A field for an amount of memory such as `123.45 GiB`. A number without a unit is in GiB: the
/// field adds the unit when the user presses Return or leaves the field. The field is wider for a
/// larger text size, and for an amount that is longer than usual. The keys of undo and redo belong
/// to the window, except while an amount is half typed.
class AmountField : public QLineEdit {
  Q_OBJECT

 public:
  explicit AmountField(const QString& text = {});

  /// The text; a number without a unit gets the unit GiB.
  QString amount() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void add_unit();
};

}  // namespace stashscope::ui
