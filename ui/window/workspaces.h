#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <span>

namespace stashscope::ui {

/// The place and the size of a panel in a workspace.
struct WorkspacePanel {
  const char* dock;  ///< object name of the panel's dock
  Qt::DockWidgetArea area;
  int percent;                   ///< width in percent of the window's width
  const char* behind = nullptr;  ///< the dock that hides this tab; null: none
};

/// An arrangement of panels around the graph for one task.
struct Workspace {
  const char* id;  ///< name in the settings and on the command line
  const char* title;
  const char* purpose;
  int bottom_percent;  ///< height of the bottom row in percent of the window's height
  std::vector<WorkspacePanel> panels;
};

/// The workspaces in the order of their buttons.
std::span<const Workspace> workspaces();

/// The id of the arrangement that shows every panel. This arrangement has no button.
constexpr const char* all_panels = "all";

/// Whether `id` is the id of a workspace or `all_panels`.
bool is_workspace(const QString& id);

/// Arranges the panels of the main window. The arrangement of each workspace is saved across runs
/// of the program.
class Workspaces : public QObject {
  Q_OBJECT

 public:
  /// @param version version number of saved arrangements, for QMainWindow::saveState
  Workspaces(QMainWindow& window, int version);

  /// Shows the panels of the current workspace. To be called when a model is opened, because the
  /// panels are empty without a model; later calls do nothing. Before the first call, `choose` only
  /// records the choice.
  void begin();
  bool has_begun() const { return has_begun_; }
  const QString& current() const { return current_; }
  /// Shows the panels of a workspace. If it is the current workspace, only brings its own panels to
  /// the front.
  void choose(const QString& id);
  /// Brings a panel to the front. A hidden panel that does not belong to the current workspace
  /// appears in the same area as in the workspace where it is at home: as a tab beside another
  /// panel of this area or, if the area is empty, alone. Other panels appear where they were last.
  void open(QDockWidget& panel);
  /// Restores the default arrangement of the current workspace. Does nothing before `begin`.
  void reset();
  /// Saves the arrangement of the current workspace. Does nothing before `begin`.
  void remember();

 Q_SIGNALS:
  void leaving();  ///< another workspace is about to be shown
  void chosen(const QString& id);
  /// Emitted if the widget with the focus is not in the chosen workspace. `panel` is the first
  /// panel of the chosen workspace; null if this panel is hidden, and for `all_panels`.
  void focus_lost(QDockWidget* panel);
  void arranged();  ///< the panels and the tool bars were arranged anew

 private:
  QDockWidget* dock(const char* name) const;
  QDockWidget* own_panel() const;
  void keep_focus(QWidget* before);
  void raise_own_panels();
  void place_as_guest(QDockWidget& panel);
  QDockWidget* host_for(const WorkspacePanel& home) const;
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
  QByteArray as_made_;       ///< the arrangement before `begin`, with all panels hidden
  bool is_as_made_ = false;  ///< no panel has been shown or moved since `begin`
  bool has_begun_ = false;
};

}  // namespace stashscope::ui
