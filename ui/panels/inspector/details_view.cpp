#include "ui/panels/inspector/details_view.h"

#include <QMimeData>
#include <QResizeEvent>
#include <QTextBlock>
#include <QTextDocumentFragment>
#include <memory>
#include <utility>

namespace stashscope::ui {

namespace {

constexpr QChar break_mark(0x200b);

/// A shortened text within the selection.
struct Shortened {
  int first = 0;
  int last = 0;
  QString full;
};

std::vector<Shortened> shortened_texts(const QTextCursor& selection) {
  std::vector<Shortened> found;
  for (QTextBlock block = selection.document()->begin(); block.isValid(); block = block.next()) {
    for (auto part = block.begin(); !part.atEnd(); ++part) {
      const QTextFragment text = part.fragment();
      const int last = text.position() + text.length();
      const bool is_selected =
          text.position() < selection.selectionEnd() && last > selection.selectionStart();
      if (!is_selected || text.charFormat().toolTip().isEmpty()) continue;
      found.push_back({text.position(), last,
                       text.charFormat().toolTip().replace(QLatin1Char('\n'), QLatin1Char(' '))});
    }
  }
  return found;
}

/// The selected part of a page, widened so that each shortened text is selected as a whole. The
/// full texts replace the shortened texts.
QTextDocumentFragment full_text_of(const QTextCursor& selected) {
  const std::unique_ptr<QTextDocument> page(selected.document()->clone());
  const std::vector<Shortened> texts = shortened_texts(selected);
  int first = selected.selectionStart();
  int last = selected.selectionEnd();
  for (const Shortened& each : texts) {
    first = std::min(first, each.first);
    last = std::max(last, each.last);
  }
  const int behind = page->characterCount() - last;
  QTextCursor place(page.get());
  for (auto each = texts.rbegin(); each != texts.rend(); ++each) {
    place.setPosition(each->first);
    place.setPosition(each->last, QTextCursor::KeepAnchor);
    place.insertText(each->full);
  }
  place.setPosition(first);
  place.setPosition(page->characterCount() - behind, QTextCursor::KeepAnchor);
  return place.selection();
}

}  // namespace

/// Removes the invisible characters at which a long name may be broken into lines.
QMimeData* DetailsView::createMimeDataFromSelection() const {
  const QTextDocumentFragment part = full_text_of(textCursor());
  auto* const copied = new QMimeData;
  copied->setText(part.toPlainText().remove(break_mark));
  copied->setHtml(part.toHtml().remove(break_mark));
  return copied;
}

/// Lays the page out once after several changes of its size: arranging the panels resizes each of
/// them several times, and the layout of a long page takes long.
void DetailsView::resizeEvent(QResizeEvent* /*event*/) {
  if (std::exchange(is_resized_, true)) return;
  QMetaObject::invokeMethod(this, &DetailsView::lay_out, Qt::QueuedConnection);
}

void DetailsView::lay_out() {
  is_resized_ = false;
  // As the old size, the event has the width of the last layout, so that QTextBrowser lays the page
  // out again only for another width.
  const QSize laid_out(qRound(document()->textWidth()), viewport()->height());
  QResizeEvent event(viewport()->size(), laid_out);
  QTextBrowser::resizeEvent(&event);
}

}  // namespace stashscope::ui
