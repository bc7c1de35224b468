#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <span>

namespace stashscope::ui {

/// A panel of a workspace.
struct WorkspacePanel {
  const char* dock;  ///< object name
  Qt::DockWidgetArea area;
  int percent;                   ///< width, as a share of the window's
  const char* behind = nullptr;  ///< a tab behind this dock
};

/// Panels for one task, around the graph.
struct Workspace {
  const char* id;  ///< in settings and on the command line
  const char* title;
  const char* purpose;
  int bottom_percent;  ///< height of the bottom row, as a share of the window's
  std::vector<WorkspacePanel> panels;
};

/// The workspaces in the order of the bar.
std::span<const Workspace> workspaces();

/// The arrangement with every panel, which is not in the bar.
constexpr const char* all_panels = "all";

/// Whether there is a workspace of that name, `all_panels` included.
bool is_workspace(const QString& id);

/// Arranges the panels of the main window. Each workspace remembers its own arrangement, also from
/// one run of the program to the next.
class Workspaces : public QObject {
  Q_OBJECT

 public:
  /// @param version of saved arrangements
  Workspaces(QMainWindow& window, int version);

  /// Shows the panels when the first model is opened; without a model they would be empty. Before
  /// that, `choose` only notes the choice.
  void begin();
  bool has_begun() const { return has_begun_; }
  const QString& current() const { return current_; }
  void choose(const QString& id);
  /// Restores the default arrangement of the current workspace.
  void reset();
  /// Writes the arrangement of the current workspace to the settings.
  void remember();

 Q_SIGNALS:
  void chosen(const QString& id);
  void arranged();  ///< the panels, and with them the tool bars, were arranged anew

 private:
  QDockWidget* dock(const char* name) const;
  QList<QDockWidget*> docks() const { return window_.findChildren<QDockWidget*>(); }
  void keep_earlier_arrangement() const;
  void show_current();
  void arrange_all();
  void arrange(const Workspace& workspace);
  void place(const Workspace& workspace);
  void size(const Workspace& workspace);

  QMainWindow& window_;
  int version_;
  QString current_;
  QByteArray as_made_;       ///< the places of the panels when the window was made, all hidden
  bool is_as_made_ = false;  ///< no panel was moved or shown yet
  bool has_begun_ = false;
};

}  // namespace stashscope::ui
