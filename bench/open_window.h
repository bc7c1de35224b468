#pragma once

#include <QApplication>
#include <QTemporaryDir>
#include <functional>

#include "ui/window/main_window.h"

namespace stashscope::ui::bench {

constexpr QSize window_size(1600, 1000);

/// Handles events until the condition holds; ends the program when that takes minutes.
void wait_until(const std::function<bool()>& condition);

/// What a frame costs: the widget drawn into memory as the screen would have it.
void draw(QWidget& widget);

/// What a program of the bench does, without a display and away from the user's settings; each
/// program defines it. Returns the exit status. @param words its arguments, its name first
int run(QApplication& application, const QStringList& words);

/// A window of its own, to open models in.
class OpenWindow {
 public:
  OpenWindow();

  MainWindow& window() { return window_; }
  Document& document() { return window_.document(); }
  GraphView& view() { return window_.graph().view(); }

  /// Waits until the first picture of the graph is drawn.
  void open(const QString& file);
  /// Waits for the study of the choices.
  void choose(const Choices& choices, const QString& text);
  /// Waits until everything is computed and drawn.
  void settle();
  /// Draws the widget of that name.
  void paint(const QString& name);

  template <class W>
  W& find(const QString& name) {
    return *window_.findChild<W*>(name);
  }

 private:
  bool shows_graph();

  QTemporaryDir places_;
  MainWindow window_;
};

}  // namespace stashscope::ui::bench
