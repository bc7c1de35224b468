#pragma once

#include <QToolBar>

namespace stashscope::ui {

/// A tool bar whose buttons drop their texts, and then its labels, when the bar is too narrow for
/// them, as with larger text.
class ToolBar : public QToolBar {
  Q_OBJECT

 public:
  using QToolBar::QToolBar;

  /// Adds a text that gives way first to the widgets.
  void add_label(const QString& text);

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
  /// The width of the texts beside the icons.
  int width_of_texts() const;
  int width_of_labels() const;

  QList<QAction*> labels_;
};

}  // namespace stashscope::ui
