#include "ui/panels/graph/hit_delegate.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

bool ends_module(QChar each) { return each == u'/' || each == u'.' || each == u' '; }

}  // namespace

QString HitDelegate::shortened(const QModelIndex& index, const Fits& fits) const {
  const QString whole = index.data().toString();
  const qsizetype word = whole.indexOf(u"  "_s);
  if (fits(whole) || word < 0) return whole;
  const QString begin = whole.left(word + 2) + u'…';
  const QString rest = whole.mid(word + 2);
  for (const bool at_module : {true, false}) {
    for (qsizetype cut = 1; cut < rest.size(); ++cut) {
      if (at_module && !ends_module(rest[cut])) continue;
      if (const QString text = begin + rest.mid(cut); fits(text)) return text;
    }
  }
  return whole;
}

}  // namespace stashscope::ui
