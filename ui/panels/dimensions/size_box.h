#pragma once

#include <QSpinBox>
#include <cstdint>

namespace stashscope::ui {

/// A spin box for a size. The user can type `0`, negative numbers and numbers above the largest
/// size; then `refused` reports the number. If the box did not let the user type such numbers, keys
/// such as the minus sign would silently do nothing.
class SizeBox : public QSpinBox {
  Q_OBJECT

 public:
  /// @param largest the largest size that the box accepts
  explicit SizeBox(int largest, QWidget* parent = nullptr);

  /// Shows any size, even 0 or a size above the largest. The limits hold only for sizes that the
  /// user types: a session or an option of the command line may have set any size.
  void show_size(std::int64_t size);
  /// The size that is in force, without its unit.
  QString size_text() const { return textFromValue(value()); }
  /// Whether the user is typing a text that is not yet the value of the box.
  bool is_typed_in() const;
  void stepBy(int steps) override;
  /// The width at which the whole text, with its unit, is seen.
  int whole_width() const;

 Q_SIGNALS:
  /// The typed number is below 1 or above the largest size. The box returns to the size that it
  /// had.
  void refused(const QString& typed, bool is_too_large);

 protected:
  QValidator::State validate(QString& text, int& place) const override;
  void fixup(QString& text) const override;
  QString textFromValue(int value) const override;
  int valueFromText(const QString& text) const override;

 private:
  QString number_in(const QString& text) const;
  bool is_too_large(const QString& number) const;

  int largest_;
  /// The shown size. If it is above `largest_`, the value of the spin box is the maximum.
  std::int64_t size_ = 0;
};

}  // namespace stashscope::ui
