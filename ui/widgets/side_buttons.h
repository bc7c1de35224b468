#pragma once

#include <QAction>

namespace stashscope::ui {

/// Event filter of the application: the buttons at the side of a mouse run the actions back and
/// forward, anywhere in the window and in its floating panels.
class SideButtons : public QObject {
 public:
  SideButtons(QAction& back, QAction& forward, QWidget* window);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QAction& back_;
  QAction& forward_;
  QWidget& window_;
};

}  // namespace stashscope::ui
