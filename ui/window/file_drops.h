#pragma once

#include <QWidget>

namespace stashscope::ui {

/// Reports a file that is dropped anywhere in a window, even on a field that accepts dropped texts.
/// To be installed as an event filter of the application.
class FileDrops : public QObject {
  Q_OBJECT

 public:
  explicit FileDrops(QWidget& window) : QObject(&window), window_(window) {}

 Q_SIGNALS:
  void dropped(const QString& path);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget& window_;
};

}  // namespace stashscope::ui
