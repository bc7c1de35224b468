#include "ui/widgets/amount_field.h"

#include <QKeyEvent>

#include "core/base/bare_amount.h"
#include "ui/theme/spacing.h"

namespace stashscope::ui {

AmountField::AmountField(const QString& text) : QLineEdit(text) {
  setAlignment(Qt::AlignRight);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  setPlaceholderText(tr("GiB"));
}

QString AmountField::amount() const {
  return QString::fromStdString(with_unit(text().toStdString(), "GiB"));
}

/// The text counts as typed, so that whoever follows the field reads it again.
void AmountField::add_unit() {
  const QString whole = amount();
  if (whole == text()) return;
  setText(whole);
  setModified(true);
  Q_EMIT textEdited(whole);
}

void AmountField::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) add_unit();
  QLineEdit::keyPressEvent(event);
}

void AmountField::focusOutEvent(QFocusEvent* event) {
  // A menu of the field or another window takes the focus only for a while.
  const bool leaves =
      event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason;
  if (leaves) add_unit();
  QLineEdit::focusOutEvent(event);
}

QSize AmountField::sizeHint() const {
  const int text = fontMetrics().horizontalAdvance(QStringLiteral("123.45 GiB"));
  return {text + 3 * spacing_unit, QLineEdit::sizeHint().height()};
}

}  // namespace stashscope::ui
