#include "ui/widgets/amount_field.h"

#include "ui/theme/spacing.h"

namespace stashscope::ui {

AmountField::AmountField(const QString& text) : QLineEdit(text) {
  setAlignment(Qt::AlignRight);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QSize AmountField::sizeHint() const {
  const int text = fontMetrics().horizontalAdvance(QStringLiteral("123.45 GiB"));
  return {text + 3 * spacing_unit, QLineEdit::sizeHint().height()};
}

}  // namespace stashscope::ui
