#include "ui/window/mnemonics.h"

#include <algorithm>
#include <set>
#include <vector>

namespace stashscope::ui {

namespace {

/// The place of the character after a single `&`; -1 without such a character.
qsizetype marked_place(const QString& text) {
  for (qsizetype i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != u'&') continue;
    if (text[i + 1] != u'&') return i + 1;
    ++i;
  }
  return -1;
}

bool starts_letters(const QString& text, qsizetype place) {
  return place == 0 || !text[place - 1].isLetterOrNumber();
}

/// The places of letters and digits before a tab: letters that start words first, then the other
/// letters, then digits.
std::vector<qsizetype> places_for_mark(const QString& text) {
  std::vector<qsizetype> places;
  for (qsizetype i = 0; i < text.size(); ++i) {
    if (text[i] == u'\t') break;
    if (text[i].isLetterOrNumber()) places.push_back(i);
  }
  const auto is_letter = [&](qsizetype place) { return text[place].isLetter(); };
  const auto digits = std::stable_partition(places.begin(), places.end(), is_letter);
  std::stable_partition(places.begin(), digits,
                        [&](qsizetype place) { return starts_letters(text, place); });
  return places;
}

void mark(QString& text, std::set<QChar>& taken) {
  for (const qsizetype place : places_for_mark(text)) {
    if (!taken.insert(text[place].toLower()).second) continue;
    text.insert(place, u'&');
    return;
  }
}

}  // namespace

QStringList with_mnemonics(QStringList texts) {
  std::set<QChar> taken;
  for (QString& text : texts) {
    const qsizetype place = marked_place(text);
    if (place >= 0 && !taken.insert(text[place].toLower()).second) text.remove(place - 1, 1);
  }
  for (QString& text : texts) {
    if (marked_place(text) < 0) mark(text, taken);
  }
  return texts;
}

void give_mnemonics(QMenu& menu) {
  QList<QAction*> actions = menu.actions();
  actions.removeIf([](const QAction* action) { return action->isSeparator(); });
  QStringList texts;
  for (const QAction* const action : actions) texts << action->text();
  texts = with_mnemonics(texts);
  for (qsizetype i = 0; i < actions.size(); ++i) {
    actions[i]->setText(texts[i]);
    if (actions[i]->menu() != nullptr) give_mnemonics(*actions[i]->menu());
  }
}

}  // namespace stashscope::ui
