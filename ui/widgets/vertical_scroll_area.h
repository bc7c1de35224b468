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
};

}  // namespace stashscope::ui
