#pragma once

#include <QApplication>
#include <QTemporaryDir>
#include <functional>

#include "ui/window/main_window.h"

namespace stashscope::ui::bench {

constexpr QSize window_size(1600, 1000);

/// Handles events until the condition holds; ends the program after two minutes.
void wait_until(const std::function<bool()>& condition);

/// Draws the widget into memory, which costs what a frame on the screen costs.
void draw(QWidget& widget);

/// The work of a bench program, without a display and without the user's settings; each program
/// defines it. Returns the exit status. @param words the arguments, with the program's name first
int run(QApplication& application, const QStringList& words);

/// A main window for one measurement.
class OpenWindow {
 public:
  OpenWindow();

  MainWindow& window() { return window_; }
  Document& document() { return window_.document(); }
  GraphView& view() { return window_.graph().view(); }

  /// Opens the file and waits until the first picture of the graph is drawn.
  void open(const QString& file);
  /// Sets the choices and waits for their study. @param text names the change in the undo list
  void choose(const Choices& choices, const QString& text);
  /// Waits until the study and the final picture of the graph are computed.
  void settle();
  /// Draws the widget with this name.
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
