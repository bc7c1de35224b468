#pragma once

#include <QMainWindow>
#include <QRectF>
#include <QStackedWidget>
#include <map>

#include "ui/document/autosave.h"
#include "ui/document/planning.h"
#include "ui/document/selection_history.h"
#include "ui/palette/command_palette.h"
#include "ui/panels/compare/compare_panel.h"
#include "ui/panels/graph/graph_panel.h"
#include "ui/panels/overview/overview_panel.h"
#include "ui/panels/planner/planner_panel.h"
#include "ui/panels/plans/plans_panel.h"
#include "ui/widgets/document_dialog.h"
#include "ui/widgets/paced_panels.h"
#include "ui/window/answer_bar.h"
#include "ui/window/choice_menu.h"
#include "ui/window/message_bar.h"
#include "ui/window/picture_actions.h"
#include "ui/window/recent_recorder.h"
#include "ui/window/tool_bar.h"
#include "ui/window/welcome.h"
#include "ui/window/workspaces.h"

class QFileDialog;
class QShortcut;

namespace stashscope::ui {

class DimensionsPanel;
class MemoryPanel;

/// The files and folders that the window uses; tests pass paths of their own.
struct WindowPlaces {
  std::filesystem::path layout_program;  ///< executable of the layout child process
  QString autosave_folder;
  QString thumbnail_folder = {};  ///< pictures of recent files; empty: no pictures are saved
};

/// The program's window: the graph in the middle, and movable panels around the graph. The graph
/// and the panels show the window's document.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(const WindowPlaces& places, QWidget* parent = nullptr);

  Document& document() { return document_; }
  Planning& planning() { return planning_; }
  Workspaces& workspaces() { return workspaces_; }
  GraphPanel& graph() { return *graph_; }
  /// Whether the graph and the panels show the document's study, and the final picture of the graph
  /// is drawn. True without a study.
  bool is_settled() const { return pending().isEmpty(); }
  /// What the window still computes for the open model, such as `the layout of the graph`. Empty
  /// without a model, and once the views of the model are complete.
  QString pending() const;
  const AnswerBar& answers() const { return *answers_; }

  /// Offers to restore unsaved choices that an earlier run of the program left behind.
  void offer_recovery();

 protected:
  void closeEvent(QCloseEvent* event) override;
  bool focusNextPrevChild(bool next) override;
  /// Escape closes the message, if no widget and no command takes the key.
  void keyPressEvent(QKeyEvent* event) override;

 private:
  /// Increase this when the panels change so much that a saved arrangement no longer applies.
  static constexpr int arrangement_version = 3;

  void make_docks();
  QDockWidget* add_dock(const QString& name, const QString& title, QWidget* content,
                        Qt::DockWidgetArea area);
  void add_sweep_dock(DimensionsPanel& dimensions, QDockWidget& memory);
  /// Puts the dock behind the dock named `front`, as a tab.
  void put_behind(const QString& front, QDockWidget* dock);
  /// Brings a panel to the front and gives it the focus. Does nothing before a model is opened.
  void go_to_dock(QDockWidget& dock);
  /// The panel that contains `widget`, if this panel is a tab behind another panel; otherwise null.
  QDockWidget* covered_dock_of(const QWidget* widget) const;
  void follow_front_panel(QDockWidget& covered);
  /// Shows the panel of the dimensions and moves the focus to the field of a dimension.
  void go_to_size(const QString& dimension);
  void open_optimizer_menu(const QPoint& at);
  void connect_document();
  /// Connects the actions back and forward with the history of selections.
  void connect_history();
  void take_opened();
  void show_failure(const Failure& failure);
  void show_notes();
  void update_title();

  // Files and unsaved choices, in window_files.cpp.
  void choose_file();
  /// Opens a model or session. If unsaved choices would be lost, asks the user first.
  void open_file(const QString& path);
  void choose_comparison();
  /// Shows the panel Compare, in its own workspace unless all panels are shown.
  void show_comparison();
  void save_session();
  void save_session_as();
  QFileDialog* save_with(const QString& title, const QString& suffix,
                         const std::function<void(const QString&)>& save);
  /// Calls `go_on` at once if all choices are saved, otherwise after the user has saved or
  /// discarded the choices. Does not call `go_on` if the user cancels.
  void leave_choices(std::function<void()> go_on);
  /// Offers one of the sessions that were not saved when the program ended, if there are any.
  /// @param place index of the session, taken modulo the number of sessions
  void offer_unsaved(std::size_t place);
  void restore(const Autosave::Abandoned& kept);
  void fill_unsaved_menu();
  void take_saved(const QString& session);

  // The planner's menu, the budget field and the answer bar, in window_planning.cpp.
  void make_planner_menu();
  void add_budget_field(ToolBar* bar);
  void add_answer_bar();
  void show_planner();
  void keep_graph_in_view();

  // The Edit menu, in window_editing.cpp.
  void make_edit_menu();
  QString why_no_undo() const;
  QShortcut* make_no_undo();
  void add_undo_all(QMenu& menu);
  void add_plans_off(QMenu& menu);
  /// A command that undoes many choices at once, as one entry of the history.
  struct WayBack {
    QKeySequence key;
    QString step;  ///< text of this entry
    QString tip;
    QString why_not;  ///< the reason to disable the command while nothing would change
    std::function<Choices()> choices;
  };
  QAction* add_way_back(QMenu& menu, const QString& name, const QString& text, const WayBack& way);
  void add_size_menu(QMenu& menu);

  // The menus, in window_actions.cpp.
  void make_actions();
  QAction* add_action(QMenu* menu, const QString& name, const QString& text,
                      const QKeySequence& shortcut, std::function<void()> run);
  void make_file_menu();
  /// How a menu item saves a file: the title and the suffix of the dialog that asks for the path,
  /// and the function that writes the file.
  struct Saving {
    QString title;
    QString suffix;
    void (*save)(Document&, const QString&);
    /// Returns the reason why nothing can be saved, which is then reported instead of opening the
    /// dialog. Null: something can always be saved.
    std::optional<Failure> (*why_not)(const Study&) = nullptr;
  };
  QAction* add_saving(QMenu& menu, const QString& name, const QString& text, const QString& key,
                      const Saving& saving);
  void add_runtime_exports(QMenu& menu);
  void make_view_menu();
  void make_panel_menus(QMenu* menu);
  void make_text_actions(QMenu* menu);
  void make_theme_menu(QMenu* menu);
  void make_run_menu();
  void make_help_menu();
  void make_toolbar();
  void make_choice_buttons(QToolBar* bar);
  void enable_actions();
  void enable_exports();
  /// Enables the Cancel command while a study is computed, a step runs or a search is in progress.
  void enable_cancel();
  void fill_recent_menu();
  void fill_sample_menu();
  void choose_theme(int choice);
  void choose_text_size(int percent);
  void show_commands();
  void show_shortcuts();
  void show_export_document();
  void show_pytorch_document();
  void show_document(const DocumentDialog::Text& text);
  /// Shows how a script uses a plan that was exported for PyTorch.
  void show_plan_code(const QString& path, const std::shared_ptr<const Study>& study);

  Document document_;
  SelectionHistory history_{document_};
  Planning planning_;
  Autosave autosave_;
  Workspaces workspaces_;
  QRectF seen_before_;  ///< part of the graph in view when a workspace was left
  MessageBar* messages_;
  QStackedWidget* center_;
  Welcome* welcome_;
  RecentRecorder* recorder_;
  GraphPanel* graph_;
  PlansPanel* plans_;
  PlannerPanel* planner_;
  ComparePanel* compare_;
  OverviewPanel* overview_;
  MemoryPanel* memory_ = nullptr;
  PacedPanels paced_panels_;
  PictureActions* pictures_;
  AnswerBar* answers_ = nullptr;
  CommandPalette* palette_;
  QMenu* recent_menu_ = nullptr;
  QMenu* sample_menu_ = nullptr;
  QMenu* unsaved_menu_ = nullptr;
  OrderMenu* order_menu_ = nullptr;
  FusionMenu* fusion_menu_ = nullptr;
  DeviceMenu* device_menu_ = nullptr;
  std::vector<QDockWidget*> docks_;
  std::map<QString, QAction*> actions_;  ///< the actions by object name
  std::function<void()> after_saving_;   ///< called once the session file is written
  bool is_tabbing_ = false;              ///< the Tab key looks for the next widget
  bool offers_unsaved_ = false;          ///< unsaved sessions are offered whenever a file is opened
  bool leaving_ = false;                 ///< close without asking about unsaved choices
};

}  // namespace stashscope::ui
