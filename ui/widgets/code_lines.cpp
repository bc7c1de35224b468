#include "ui/widgets/code_lines.h"

#include <QApplication>
#include <QClipboard>

#include "ui/theme/icons.h"
#include "ui/theme/text_size.h"

namespace stashscope::ui {

QLabel* make_code_lines(const QString& name, const QString& lines) {
  auto* const label = new QLabel(lines);
  label->setObjectName(name);
  label->setTextFormat(Qt::PlainText);
  label->setAccessibleName(QApplication::translate("CodeLines", "Lines of Python"));
  label->setFont(fixed_font());
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

QPushButton* make_copy_button(const QString& name, const QString& text, const QString& lines) {
  auto* const button = new QPushButton(icon(Icon::copy), text);
  button->setObjectName(name);
  button->setAutoDefault(true);
  QObject::connect(button, &QPushButton::clicked, button, [button, lines] {
    QApplication::clipboard()->setText(lines);
    button->setText(QApplication::translate("CodeLines", "Copied"));
  });
  return button;
}

}  // namespace stashscope::ui
