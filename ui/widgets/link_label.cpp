#include "ui/widgets/link_label.h"

#include <QEvent>
#include <QStyleOptionFocusRect>
#include <QStylePainter>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

namespace stashscope::ui {

int LinkLabel::left_of(const QString& link) const {
  QTextDocument lines;
  lines.setDefaultFont(font());
  lines.setDocumentMargin(0);
  lines.setHtml(text());
  lines.setTextWidth(-1);
  lines.size();  // lays the text out
  const QTextBlock block = lines.begin();
  for (auto part = block.begin(); !part.atEnd(); ++part) {
    const QTextFragment fragment = part.fragment();
    if (fragment.charFormat().anchorHref() != link) continue;
    const int place = fragment.position() - block.position();
    const QTextLine line = block.layout()->lineForTextPosition(place);
    return contentsRect().left() + margin() + qRound(line.cursorToX(place));
  }
  return 0;
}

void LinkLabel::set_hint(const QString& rich_text) {
  setTextFormat(Qt::RichText);
  setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  setForegroundRole(QPalette::PlaceholderText);
  setWordWrap(true);
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setText(rich_text);
}

void LinkLabel::changeEvent(QEvent* event) {
  QLabel::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  // The colour of a link is set when the label parses the text. The label does not parse a new text
  // that equals the old text, so the text is cleared first.
  const QString same = text();
  clear();
  setText(same);
}

void LinkLabel::paintEvent(QPaintEvent* event) {
  QLabel::paintEvent(event);
  if (!hasFocus()) return;
  QStyleOptionFocusRect option;
  option.initFrom(this);
  QStylePainter(this).drawPrimitive(QStyle::PE_FrameFocusRect, option);
}

}  // namespace stashscope::ui
