#include "ui/widgets/amount_field.h"

#include <QKeyEvent>
#include <algorithm>

#include "core/base/bare_amount.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/undo_keys.h"

namespace stashscope::ui {

AmountField::AmountField(const QString& text) : QLineEdit(text) {
  setAlignment(Qt::AlignRight);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  setPlaceholderText(tr("GiB"));
  pass_undo_keys(*this);
  connect(this, &QLineEdit::textChanged, this, [this] {
    updateGeometry();
    // If the text does not fit into the field, the first digits must be seen.
    if (!hasFocus()) setCursorPosition(0);
  });
}

QString AmountField::amount() const {
  return QString::fromStdString(with_unit(text().toStdString(), "GiB"));
}

/// Emits `textEdited`, as if the user had typed the unit, so that listeners read the field again.
void AmountField::add_unit() {
  const QString whole = amount();
  if (whole == text()) return;
  setText(whole);
  setModified(true);
  Q_EMIT textEdited(whole);
}

void AmountField::keyPressEvent(QKeyEvent* event) {
  const bool ends = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (ends) add_unit();
  QLineEdit::keyPressEvent(event);
  // After Return, undo in the field does not go back beyond the applied amount.
  if (ends) setText(text());
}

void AmountField::focusOutEvent(QFocusEvent* event) {
  // If a menu of the field or another window takes the focus, the user has not left the field.
  const bool leaves =
      event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason;
  if (leaves) add_unit();
  if (leaves) {
    setModified(false);
    setCursorPosition(0);
  }
  QLineEdit::focusOutEvent(event);
}

QSize AmountField::sizeHint() const {
  constexpr qsizetype most_characters = 24;
  const auto width_of = [this](const QString& amount) {
    return fontMetrics().horizontalAdvance(amount);
  };
  const int usual = width_of(QStringLiteral("123.45 GiB"));
  const int needed = std::max(usual, width_of(text().left(most_characters)));
  return {needed + 3 * spacing_unit, QLineEdit::sizeHint().height()};
}

}  // namespace stashscope::ui
