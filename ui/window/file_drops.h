#pragma once

#include <QWidget>

namespace stashscope::ui {

/// Takes files that are dropped anywhere in a window, also on fields that take texts. An event
/// filter for the application.
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
