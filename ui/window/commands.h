#pragma once

#include <QAction>
#include <QMenuBar>
#include <QPointer>
#include <vector>

#include "ui/window/fuzzy.h"

namespace stashscope::ui {

/// An action that the user can trigger by name.
struct Command {
  QString place;  ///< the menus that lead to it, outermost first, or the panel it acts on
  QString name;
  QPointer<QAction> action;
  QPointer<QWidget> widget = {};  ///< widget that it acts on; null: the window

  /// All keys that trigger the command, as the user sees them; may be empty.
  QString keys() const;
};

/// Lets the palette find an action by other words than its text, too.
void add_search_words(QAction& action, const QString& words);

/// Text of an action or title up to a tab, without the mark of its mnemonic.
QString plain_text(const QString& text);

/// All commands of the menus, in order, including menus that are filled when they are shown.
std::vector<Command> menu_commands(const QMenuBar& bar);

/// The commands of the menus, then those of the widgets in the window.
std::vector<Command> all_commands(const QMenuBar& bar, const QWidget& window);

/// The commands of `all_commands` that have keys.
std::vector<Command> commands_with_keys(const QMenuBar& bar, const QWidget& window);

/// Whether the command is enabled and the widget it acts on is visible.
bool can_be_done(const Command& command);

/// A command that matches the typed text.
struct RankedCommand {
  Command command;
  std::vector<qsizetype> places;  ///< of the typed letters in `full_name`
};

/// `File › Open…`
QString full_name(const Command& command);

/// The matching commands, best first; ties keep their order. A match within the name of a command
/// has a bonus over a match that uses letters of its place.
std::vector<RankedCommand> ranked(const std::vector<Command>& commands, const QString& pattern);

}  // namespace stashscope::ui
