#pragma once

#include <QScrollArea>

namespace stashscope::ui {

/// A scroll area that scrolls only vertically. It is never narrower than its content, so that
/// nothing is cut off. A widget that gets the focus is scrolled into view, unless a mouse button is
/// pressed. QScrollArea itself scrolls to such a widget only after the Tab key.
class VerticalScrollArea : public QScrollArea {
 public:
  explicit VerticalScrollArea(QWidget* content);

  QSize minimumSizeHint() const override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow(QWidget* focus);

  int content_width_ = 0;  ///< minimum width of the content at its last layout request
};

}  // namespace stashscope::ui
