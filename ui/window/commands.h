#pragma once

#include <QAction>
#include <QMenuBar>
#include <QPointer>
#include <vector>

#include "ui/window/fuzzy.h"

namespace stashscope::ui {

/// Something that the user can do.
struct Command {
  QString place;  ///< the menus that lead to it, outermost first, or the panel it acts on
  QString name;
  QPointer<QAction> action;
  QPointer<QWidget> widget = {};  ///< that it acts on; null: the window

  /// All keys that trigger it, as the user sees them; may be empty.
  QString keys() const;
};

/// Text of an action or title without the mark of its mnemonic.
QString plain_text(const QString& text);

/// All that the menus hold, in their order; menus that fill themselves when they are shown
/// included.
std::vector<Command> menu_commands(const QMenuBar& bar);

/// Of the menus, then of the widgets in the window.
std::vector<Command> all_commands(const QMenuBar& bar, const QWidget& window);

/// Those of them that have keys.
std::vector<Command> commands_with_keys(const QMenuBar& bar, const QWidget& window);

/// Whether it is enabled, and what it acts on can be seen.
bool can_be_done(const Command& command);

/// A command that fits what was typed.
struct RankedCommand {
  Command command;
  std::vector<qsizetype> places;  ///< of the typed letters in `full_name`
};

/// `File › Open…`
QString full_name(const Command& command);

/// Those that fit, the best first; equal ones in their order. A command counts more when its own
/// name fits than when its place is needed.
std::vector<RankedCommand> ranked(const std::vector<Command>& commands, const QString& pattern);

}  // namespace stashscope::ui
