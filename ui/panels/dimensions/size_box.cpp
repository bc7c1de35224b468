#include "ui/panels/dimensions/size_box.h"

#include <QLineEdit>
#include <QStyle>
#include <QStyleOptionSpinBox>
#include <algorithm>

namespace stashscope::ui {

namespace {

bool is_below_one(const QString& number) {
  bool is_number = false;
  return number.toInt(&is_number) < 1 && is_number;
}

}  // namespace

/// The upper end of the range is one above `largest`. It stands for every size above `largest`.
SizeBox::SizeBox(int largest, QWidget* parent) : QSpinBox(parent), largest_(largest) {
  setRange(1, largest + 1);
}

void SizeBox::show_size(std::int64_t size) {
  size_ = size;
  setMinimum(size == 0 ? 0 : 1);
  setValue(static_cast<int>(std::min<std::int64_t>(size, maximum())));
  // Above the largest size, the text may change while the value of the box stays.
  const QString text = textFromValue(value()) + suffix();
  if (lineEdit()->text() != text) lineEdit()->setText(text);
}

bool SizeBox::is_typed_in() const {
  if (!hasFocus() || cleanText() == textFromValue(value())) return false;
  bool is_number = false;
  const int typed = locale().toInt(cleanText(), &is_number);
  return !is_number || typed != value();
}

void SizeBox::stepBy(int steps) {
  QSpinBox::stepBy(std::min(steps, std::max(0, largest_ - value())));
}

int SizeBox::whole_width() const {
  QStyleOptionSpinBox option;
  initStyleOption(&option);
  // As QAbstractSpinBox does: a space and the cursor.
  const int text = fontMetrics().horizontalAdvance(this->text() + QLatin1Char(' ')) + 2;
  const QSize whole(text, lineEdit()->sizeHint().height());
  return style()->sizeFromContents(QStyle::CT_SpinBox, &option, whole, this).width();
}

QString SizeBox::number_in(const QString& text) const {
  QString number = text;
  if (number.endsWith(suffix())) number.chop(suffix().size());
  return number.trimmed();
}

bool SizeBox::is_too_large(const QString& number) const {
  const bool has_digits_only =
      !number.isEmpty() && std::ranges::all_of(number, [](QChar each) { return each.isDigit(); });
  bool fits = false;
  const qlonglong size = number.toLongLong(&fits);
  return has_digits_only && (!fits || size > largest_);
}

QValidator::State SizeBox::validate(QString& text, int& place) const {
  const QString number = number_in(text);
  if (number == textFromValue(value())) return QValidator::Acceptable;
  if (number == QLatin1Char('-') || (is_below_one(number) && minimum() > 0) ||
      is_too_large(number)) {
    return QValidator::Intermediate;
  }
  return QSpinBox::validate(text, place);
}

void SizeBox::fixup(QString& text) const {
  const QString number = number_in(text);
  const bool is_large = is_too_large(number);
  if (is_large || is_below_one(number)) {
    Q_EMIT const_cast<SizeBox*>(this)->refused(number, is_large);
  }
  QSpinBox::fixup(text);
}

int SizeBox::valueFromText(const QString& text) const {
  return number_in(text) == textFromValue(maximum()) ? maximum() : QSpinBox::valueFromText(text);
}

QString SizeBox::textFromValue(int value) const {
  return value > largest_ ? QString::number(size_) : QSpinBox::textFromValue(value);
}

}  // namespace stashscope::ui
