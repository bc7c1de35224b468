#pragma once

#include <QMenu>
#include <QStringList>

namespace stashscope::ui {

/// Marks one letter of each text with `&`: the first letter of a word if possible, otherwise any
/// letter, otherwise a digit. No two texts get a mark on the same letter. Existing marks stay; if
/// several texts mark the same letter, only the first text keeps its mark. A text gets no mark if
/// other texts use all its letters and digits. No mark is added after a tab.
QStringList with_mnemonics(QStringList texts);

/// Gives mnemonics to the entries of a menu and of its submenus, see `with_mnemonics`.
void give_mnemonics(QMenu& menu);

}  // namespace stashscope::ui
