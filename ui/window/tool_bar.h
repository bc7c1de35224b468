#pragma once

#include <QToolBar>

namespace stashscope::ui {

/// A tool bar that hides texts if it is too narrow: first the texts of its buttons, then its
/// labels.
class ToolBar : public QToolBar {
  Q_OBJECT

 public:
  using QToolBar::QToolBar;

  /// Adds a label, which is hidden if the bar is too narrow.
  void add_label(const QString& text);

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
  /// The width of the texts beside the icons, in pixels.
  int width_of_texts() const;
  int width_of_labels() const;

  QList<QAction*> labels_;
};

}  // namespace stashscope::ui
