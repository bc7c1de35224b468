#pragma once

#include <QMenu>
#include <QStringList>

namespace stashscope::ui {

/// Marks one letter of each text with `&`, each letter at most once: starts of words first, then
/// any letter or digit. Texts that are marked already keep their letter, the first one of those
/// that share it. A text whose letters are all taken stays without. What stands behind a tab is no
/// part of the text.
QStringList with_mnemonics(QStringList texts);

/// Marks the entries of a menu and of the menus in it.
void give_mnemonics(QMenu& menu);

}  // namespace stashscope::ui
