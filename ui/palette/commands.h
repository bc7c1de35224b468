#pragma once

#include <QAction>
#include <QMenuBar>
#include <QPointer>
#include <vector>

#include "ui/palette/fuzzy.h"

namespace stashscope::ui {

/// An action that the user can trigger by name.
struct Command {
  /// The title of `widget`, if there is one, then the menus around the command, outermost first.
  QString place;
  QString name;
  QPointer<QAction> action;
  QPointer<QWidget> widget = {};  ///< widget that the command acts on; null: the window
  QPointer<QAction> menu = {};    ///< outermost disabled menu around the command; null: none

  /// All keys that trigger the command, as text for the user; empty without keys.
  QString keys() const;
};

/// The text of an action or a menu title up to a tab, without the `&` that marks a mnemonic.
QString plain_text(const QString& text);

/// The visible commands of the menus, in the order of the menus. Menus that are filled when they
/// are shown are filled first.
std::vector<Command> menu_commands(const QMenuBar& bar);

/// The commands of the menus, then the other commands of the widgets in the window.
std::vector<Command> all_commands(const QMenuBar& bar, const QWidget& window);

/// Those commands of `all_commands` that have at least one key.
std::vector<Command> commands_with_keys(const QMenuBar& bar, const QWidget& window);

/// Whether the user can see the command, and the command and the menus around it are enabled.
bool can_be_done(const Command& command);
/// Whether the user can see the command: its action is visible, and so is the widget that it acts
/// on.
bool can_be_seen(const Command& command);
/// The reason why a command that can be seen cannot be done. Empty if the command can be done, and
/// if its action has been deleted.
QString why_not_done(const Command& command);

/// A command that matches the typed text.
struct RankedCommand {
  Command command;
  std::vector<qsizetype> places;  ///< positions of the typed letters in `full_name`
};

/// The place and the name of a command: `File › Open…`.
QString full_name(const Command& command);

/// The commands that match `pattern`, best first; commands with equal scores keep their order. The
/// letters of the pattern may stand in `full_name`, or in the search words of the action. A match
/// within the name of the command gets extra points. An empty pattern keeps the order of all
/// commands.
std::vector<RankedCommand> ranked(const std::vector<Command>& commands, const QString& pattern);

}  // namespace stashscope::ui
