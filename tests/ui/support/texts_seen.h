#pragma once

#include <QStringList>
#include <QWidget>

namespace stashscope::ui::test {

/// The texts that a window shows or reads out, each with the widget that shows it: titles, labels,
/// buttons, menus, headers, tool tips, invitations and accessible names.
struct SeenText {
  QString text;
  QString where;
};
std::vector<SeenText> texts_of(QWidget& window);

}  // namespace stashscope::ui::test
