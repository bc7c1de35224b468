#pragma once

#include <QScrollArea>

namespace stashscope::ui {

/// Scrolls only vertically, and is never narrower than its content, so that nothing is cut off.
class VerticalScrollArea : public QScrollArea {
 public:
  explicit VerticalScrollArea(QWidget* content);

  QSize minimumSizeHint() const override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  int content_width_ = 0;  ///< minimum, when the owner last laid this out
};

}  // namespace stashscope::ui
