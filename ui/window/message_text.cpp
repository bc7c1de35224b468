#include "ui/window/message_text.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace stashscope::ui {

namespace {

constexpr int most_lines = 3;
constexpr int least_width = 120;
constexpr int usual_text_width = 480;
constexpr int frame_width = 1;  // pixels; the theme draws the frame while the text has the focus

}  // namespace

MessageText::MessageText(QWidget* parent) : QTextEdit(parent) {
  setReadOnly(true);
  setTabChangesFocus(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  viewport()->setAutoFillBackground(false);
  document()->setDocumentMargin(frame_width);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void MessageText::set_text(const QString& text) {
  setPlainText(text);
  choose_scroll_bar();
  updateGeometry();
}

int MessageText::text_height(int width) const {
  // The document itself breaks the lines: font metrics would break some of them elsewhere.
  const std::unique_ptr<QTextDocument> copy(document()->clone());
  copy->setDefaultTextOption(document()->defaultTextOption());
  copy->setTextWidth(width);
  return static_cast<int>(std::ceil(copy->size().height())) - 2 * frame_width;
}

int MessageText::most_height() const { return most_lines * fontMetrics().lineSpacing(); }

int MessageText::heightForWidth(int width) const {
  return std::clamp(text_height(width), fontMetrics().lineSpacing(), most_height()) + 1 +
         2 * frame_width;
}

/// Hides the scroll bar if the widget can grow to show all lines. A bar that appears before the
/// widget has grown would stay: it makes the lines narrower, and narrower lines are more lines.
void MessageText::choose_scroll_bar() {
  setVerticalScrollBarPolicy(text_height(width()) > most_height() ? Qt::ScrollBarAsNeeded
                                                                  : Qt::ScrollBarAlwaysOff);
}

void MessageText::resizeEvent(QResizeEvent* event) {
  choose_scroll_bar();
  QTextEdit::resizeEvent(event);
}

QSize MessageText::sizeHint() const { return {usual_text_width, heightForWidth(usual_text_width)}; }

QSize MessageText::minimumSizeHint() const {
  return {least_width, fontMetrics().lineSpacing() + 1 + 2 * frame_width};
}

}  // namespace stashscope::ui
