#include "ui/panels/dimensions/size_box.h"

namespace stashscope::ui {

namespace {

bool is_below_one(const QString& number) {
  bool is_number = false;
  return number.toInt(&is_number) < 1 && is_number;
}

}  // namespace

QString SizeBox::number_in(const QString& text) const {
  QString number = text;
  if (number.endsWith(suffix())) number.chop(suffix().size());
  return number.trimmed();
}

QValidator::State SizeBox::validate(QString& text, int& place) const {
  const QString number = number_in(text);
  if (number == QLatin1Char('-') || (is_below_one(number) && minimum() > 0)) {
    return QValidator::Intermediate;
  }
  return QSpinBox::validate(text, place);
}

void SizeBox::fixup(QString& text) const {
  const QString number = number_in(text);
  if (is_below_one(number)) Q_EMIT const_cast<SizeBox*>(this)->refused(number);
  QSpinBox::fixup(text);
}

}  // namespace stashscope::ui
