#include "ui/palette/commands.h"

#include <QCoreApplication>
#include <QMenu>
#include <algorithm>
#include <set>

#include "ui/widgets/key_action.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int own_name_score = 12;

QString separator() { return u" › "_s; }

QString inside(const QString& place, const QString& title) {
  return place.isEmpty() ? title : place + separator() + title;
}

/// @param closed outermost disabled menu around the actions; null if there is none
void collect(const QList<QAction*>& actions, const QString& place, QAction* closed,
             std::vector<Command>& commands) {
  for (QAction* const action : actions) {
    if (action->isSeparator() || !action->isVisible()) continue;
    const QString name = plain_text(action->text());
    QMenu* const menu = action->menu();
    if (menu == nullptr) {
      if (!name.isEmpty()) commands.push_back({place, name, action, {}, closed});
      continue;
    }
    // Some menus are filled when they are shown.
    Q_EMIT menu->aboutToShow();
    QAction* const is_closed = closed == nullptr && !action->isEnabled() ? action : closed;
    collect(menu->actions(), inside(place, name), is_closed, commands);
  }
}

/// The reason that a disabled action gives in its tool tip; empty if the tip only repeats its text.
QString reason_in_tip(const QAction& action) {
  const QString tip = action.toolTip();
  return tip == QAction(action.text()).toolTip() ? QString() : tip;
}

/// Matches the pattern with the search words of the action. Such a match marks no letters of the
/// name.
std::optional<FuzzyMatch> match_other_words(const Command& command, const QString& pattern) {
  if (command.action == nullptr) return std::nullopt;
  auto found = fuzzy_match(pattern, search_words(*command.action));
  if (found) found->places.clear();
  return found;
}

std::optional<RankedCommand> match(const Command& command, const QString& pattern, int& score) {
  const QString whole = full_name(command);
  auto found = fuzzy_match(pattern, whole);
  auto own = fuzzy_match(pattern, command.name);
  if (own) {
    own->score += own_name_score;
    for (qsizetype& place : own->places) place += whole.size() - command.name.size();
  }
  if (own && (!found || own->score >= found->score)) found = own;
  auto other = match_other_words(command, pattern);
  if (other && (!found || other->score > found->score)) found = other;
  if (!found) return std::nullopt;
  score = found->score;
  return RankedCommand{command, found->places};
}

QString title_of(const QWidget& widget) {
  return widget.accessibleName().isEmpty() ? widget.objectName() : widget.accessibleName();
}

}  // namespace

QString Command::keys() const {
  if (action == nullptr) return {};
  QList<QKeySequence> keys = action->shortcuts();
  if (const auto told = told_key(*action); !told.isEmpty()) keys << told;
  return QKeySequence::listToString(keys, QKeySequence::NativeText);
}

QString plain_text(const QString& text) {
  QString plain;
  for (qsizetype i = 0; i < text.size(); ++i) {
    if (text[i] == u'\t') break;
    if (text[i] == u'&' && i + 1 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

std::vector<Command> menu_commands(const QMenuBar& bar) {
  std::vector<Command> commands;
  collect(bar.actions(), {}, nullptr, commands);
  return commands;
}

std::vector<Command> all_commands(const QMenuBar& bar, const QWidget& window) {
  std::vector<Command> commands = menu_commands(bar);
  std::set<const QAction*> listed;
  for (const Command& each : commands) listed.insert(each.action);
  for (QWidget* const widget : window.findChildren<QWidget*>()) {
    if (qobject_cast<const QMenu*>(widget) != nullptr || widget == &bar) continue;
    std::vector<Command> own;
    for (QAction* const action : widget->actions()) {
      // A menu that belongs to another widget is listed with that widget.
      const bool is_elsewhere = action->menu() != nullptr && action->menu()->parent() != widget;
      if (!is_elsewhere) collect({action}, title_of(*widget), nullptr, own);
    }
    for (Command& each : own) {
      if (!listed.insert(each.action).second) continue;
      each.widget = widget;
      commands.push_back(std::move(each));
    }
  }
  return commands;
}

std::vector<Command> commands_with_keys(const QMenuBar& bar, const QWidget& window) {
  std::vector<Command> commands = all_commands(bar, window);
  std::erase_if(commands, [](const Command& each) { return each.keys().isEmpty(); });
  return commands;
}

bool can_be_done(const Command& command) {
  if (command.menu != nullptr && !command.menu->isEnabled()) return false;
  return can_be_seen(command) && command.action->isEnabled();
}

bool can_be_seen(const Command& command) {
  if (command.action == nullptr || !command.action->isVisible()) return false;
  return command.widget == nullptr || !command.widget->visibleRegion().isEmpty();
}

QString why_not_done(const Command& command) {
  if (command.action == nullptr || can_be_done(command)) return {};
  const bool is_of_menu = command.menu != nullptr && !command.menu->isEnabled();
  const QString reason = reason_in_tip(is_of_menu ? *command.menu : *command.action);
  return reason.isEmpty() ? QCoreApplication::translate("Commands", "not possible now") : reason;
}

QString full_name(const Command& command) { return inside(command.place, command.name); }

std::vector<RankedCommand> ranked(const std::vector<Command>& commands, const QString& pattern) {
  std::vector<std::pair<int, RankedCommand>> found;
  for (const Command& each : commands) {
    int score = 0;
    if (auto fits = match(each, pattern, score)) found.emplace_back(score, std::move(*fits));
  }
  if (!pattern.trimmed().isEmpty()) {
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
  }
  std::vector<RankedCommand> commands_found;
  for (auto& [score, command] : found) commands_found.push_back(std::move(command));
  return commands_found;
}

}  // namespace stashscope::ui
