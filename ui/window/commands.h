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

  /// All keys that trigger it, as the user sees them; may be empty.
  QString keys() const;
};

/// Text of an action or title without the mark of its mnemonic.
QString plain_text(const QString& text);

/// All that the menus hold, in their order; menus that fill themselves when they are shown
/// included.
std::vector<Command> menu_commands(const QMenuBar& bar);

/// All that has keys: of the menus, then of the widgets in the window.
std::vector<Command> commands_with_keys(const QMenuBar& bar, const QWidget& window);

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
