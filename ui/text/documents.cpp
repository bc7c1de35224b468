#include "ui/text/documents.h"

#include <QStringList>

namespace stashscope::ui {

using namespace Qt::StringLiterals;

namespace {

qsizetype level_of(const QString& line) {
  qsizetype level = 0;
  while (level < line.size() && line[level] == u'#') ++level;
  return level < line.size() && line[level] == u' ' ? level : 0;
}

}  // namespace

QString title_of(const QString& document) {
  for (const QString& line : document.split(u'\n')) {
    if (const qsizetype level = level_of(line); level > 0) return line.mid(level + 1);
  }
  return {};
}

QString section_of(const QString& document, const QString& heading) {
  QStringList section;
  qsizetype level = 0;
  for (const QString& line : document.split(u'\n')) {
    const qsizetype here = level_of(line);
    if (level == 0 && here > 0 && line.mid(here + 1) == heading) {
      level = here;
    } else if (level > 0 && here > 0 && here <= level) {
      break;
    }
    if (level > 0) section << line;
  }
  return section.join(u'\n');
}

}  // namespace stashscope::ui
