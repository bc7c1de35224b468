#include "ui/window/message_text.h"

#include <algorithm>

namespace stashscope::ui {

namespace {

constexpr int most_lines = 3;
constexpr int least_width = 120;
constexpr int usual_width = 480;
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
  updateGeometry();
}

int MessageText::heightForWidth(int width) const {
  const int most = most_lines * fontMetrics().lineSpacing();
  const QRect room(0, 0, width - 2 * frame_width, most);
  const int needed = fontMetrics()
                         .boundingRect(room, Qt::TextWordWrap | Qt::TextWrapAnywhere, toPlainText())
                         .height();
  return std::clamp(needed, fontMetrics().lineSpacing(), most) + 1 + 2 * frame_width;
}

QSize MessageText::sizeHint() const { return {usual_width, heightForWidth(usual_width)}; }

QSize MessageText::minimumSizeHint() const {
  return {least_width, fontMetrics().lineSpacing() + 1 + 2 * frame_width};
}

}  // namespace stashscope::ui
