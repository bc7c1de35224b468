#pragma once

#include <QMenu>
#include <QStringList>

namespace stashscope::ui {

/// Marks one letter of each text with `&`, and uses each letter once: starts of words first, then
/// any letter or digit. Existing marks stay; if several texts mark the same letter, only the first
/// keeps its mark. A text whose letters are all taken gets no mark. Text after a tab is ignored.
QStringList with_mnemonics(QStringList texts);

/// Marks the entries of a menu and of its submenus.
void give_mnemonics(QMenu& menu);

}  // namespace stashscope::ui
