#pragma once

#include <QMainWindow>
#include <QMenu>
#include <functional>

namespace stashscope::ui {

/// A menu of named arrangements of the panels, which are saved across runs of the program.
class LayoutMenu : public QMenu {
  Q_OBJECT

 public:
  /// @param version version number of saved arrangements, for QMainWindow::saveState
  /// @param reset restores the default arrangement of the panels
  LayoutMenu(QMainWindow& window, int version, std::function<void()> reset);

  /// Asks for a name, then saves the current arrangement under this name.
  void ask_for_name();
  void save(const QString& name);

 private:
  void fill();
  void add_saved(const QString& name);

  QMainWindow& window_;
  int version_;
  std::function<void()> reset_;
};

}  // namespace stashscope::ui
