// The menus and the toolbar of the main window.

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QMenuBar>
#include <QSettings>
#include <QToolBar>
#include <QToolButton>

#include "ui/document/choice_words.h"
#include "ui/document/exports.h"
#include "ui/document/recent_files.h"
#include "ui/palette/commands.h"
#include "ui/panels/run/measurement_dialogs.h"
#include "ui/text/enabling.h"
#include "ui/text/texts.h"
#include "ui/theme/icons.h"
#include "ui/theme/text_size.h"
#include "ui/theme/theme.h"
#include "ui/widgets/drop_menu.h"
#include "ui/widgets/key_action.h"
#include "ui/widgets/peak_link.h"
#include "ui/window/layout_menu.h"
#include "ui/window/main_window.h"
#include "ui/window/mnemonics.h"
#include "ui/window/pass_menu.h"
#include "ui/window/samples.h"
#include "ui/window/workspace_menu.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr double zoom_step = 1.25;
constexpr int normal_text_size = 100;
QKeySequence key_of_panel(std::size_t index) {
  return QKeySequence((index < 9 ? u"Alt+%1"_s : u"Ctrl+Alt+%1"_s).arg(index % 9 + 1));
}

QToolButton* add_button(QToolBar* bar, const QString& name, const QString& tip, QMenu* menu) {
  auto* const button = new QToolButton;
  button->setObjectName(name);
  button->setAccessibleName(tip);
  button->setToolTip(tip);
  button->setMenu(menu);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  button->setFocusPolicy(Qt::TabFocus);
  bar->addWidget(button);
  return button;
}

}  // namespace

QAction* MainWindow::add_action(QMenu* menu, const QString& name, const QString& text,
                                const QKeySequence& shortcut, std::function<void()> run) {
  auto* const action = menu->addAction(text);
  action->setObjectName(name);
  action->setShortcut(shortcut);
  connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
  actions_[name] = action;
  return action;
}

void MainWindow::make_actions() {
  make_file_menu();
  make_edit_menu();
  make_view_menu();
  menuBar()->addMenu(new PassMenu(document_, this));
  make_planner_menu();
  make_run_menu();
  make_help_menu();
  make_toolbar();
  add_answer_bar();
  for (QAction* const action : menuBar()->actions()) give_mnemonics(*action->menu());
  enable_actions();
}

void MainWindow::make_file_menu() {
  QMenu* const menu = menuBar()->addMenu(tr("&File"));
  menu->setToolTipsVisible(true);
  add_action(menu, u"open"_s, tr("&Open…"), QKeySequence::Open, [this] {
    choose_file();
  })->setIcon(icon(Icon::open));
  recent_menu_ = menu->addMenu(tr("Open &recent"));
  recent_menu_->setObjectName(u"recent_menu"_s);
  connect(recent_menu_, &QMenu::aboutToShow, this, &MainWindow::fill_recent_menu);
  sample_menu_ = menu->addMenu(tr("Open sa&mple"));
  sample_menu_->setObjectName(u"sample_menu"_s);
  connect(sample_menu_, &QMenu::aboutToShow, this, &MainWindow::fill_sample_menu);
  unsaved_menu_ = menu->addMenu(tr("Restore &unsaved choices"));
  unsaved_menu_->setObjectName(u"unsaved_menu"_s);
  connect(unsaved_menu_, &QMenu::aboutToShow, this, &MainWindow::fill_unsaved_menu);
  add_action(menu, u"compare"_s, tr("&Compare with…"), QKeySequence(u"Ctrl+Shift+D"_s),
             [this] { choose_comparison(); });
  menu->addSeparator();
  add_action(menu, u"save_session"_s, tr("&Save session"), QKeySequence::Save, [this] {
    save_session();
  })->setIcon(icon(Icon::save));
  add_action(menu, u"save_session_as"_s, tr("Save session &as…"), QKeySequence(u"Ctrl+Shift+S"_s),
             [this] { save_session_as(); });
  menu->addSeparator();
  add_runtime_exports(*menu);
  menu->addSeparator();
  add_saving(*menu, u"save_report"_s, tr("Save re&port…"), u"Ctrl+Shift+H"_s,
             {tr("Save the report"), u".html"_s, save_report});
  add_action(menu, u"export_graph"_s, tr("Export &graph as a picture…"),
             QKeySequence(u"Ctrl+Shift+G"_s), [this] { pictures_->save_picture(graph_->view()); });
  menu->addMenu(pictures_->make_menu());
  menu->addSeparator();
  add_action(menu, u"quit"_s, tr("&Quit"), QKeySequence(u"Ctrl+Q"_s), [this] { close(); });
}

void MainWindow::add_runtime_exports(QMenu& menu) {
  QAction* const config = add_saving(
      menu, u"export_environment"_s, tr("&Export config for ONNX Runtime (environment variables)…"),
      u"Ctrl+Shift+E"_s,
      {tr("Export the config for ONNX Runtime"), u".sh"_s, export_environment, why_no_environment});
  add_search_words(*config, tr("environment block"));
  QAction* const plan =
      add_saving(menu, u"export_plan"_s, tr("Export plan for P&yTorch…"), u"Ctrl+Shift+Y"_s,
                 {tr("Export the plan for PyTorch"), u".plan.json"_s, export_pytorch_plan});
  add_search_words(*plan, tr("checkpoint stashscope.apply captured step"));
  add_saving(menu, u"save_model"_s, tr("Save &modified model…"), u"Ctrl+Shift+M"_s,
             {tr("Save the modified model"), u".onnx"_s, save_modified_model});
}

void MainWindow::make_view_menu() {
  QMenu* const menu = menuBar()->addMenu(tr("&View"));
  add_action(menu, u"back"_s, tr("&Back"), QKeySequence(u"Alt+Left"_s),
             [this] { history_.go_back(); });
  add_action(menu, u"forward"_s, tr("&Forward"), QKeySequence(u"Alt+Right"_s),
             [this] { history_.go_forward(); });
  connect_history();
  menu->addSeparator();
  add_action(menu, u"zoom_in"_s, tr("Zoom &in"), QKeySequence::ZoomIn,
             [this] { graph_->view().zoom_by(zoom_step); });
  add_action(menu, u"zoom_out"_s, tr("Zoom &out"), QKeySequence::ZoomOut,
             [this] { graph_->view().zoom_by(1 / zoom_step); });
  add_action(menu, u"show_all"_s, tr("Show &all"), QKeySequence(u"Ctrl+0"_s),
             [this] { graph_->view().fit(); });
  add_search_words(*add_action(menu, u"close_groups"_s, tr("&Close groups down to the layers"),
                               QKeySequence(u"Ctrl+Shift+K"_s), [this] { graph_->close_groups(); }),
                   tr("fold collapse"));
  QMenu* const selected = menu->addMenu(tr("&Selection in the graph"));
  selected->addActions(graph_->actions_on_selection());
  selected->setToolTipsVisible(true);
  add_action(menu, u"go_to_peak"_s, tr("Go to the &peak"), peak_key(),
             [this] { document_.selection().select_peak(); });
  menu->addSeparator();
  make_panel_menus(menu);
  menu->addSeparator();
  make_text_actions(menu);
  make_theme_menu(menu);
}

void MainWindow::make_panel_menus(QMenu* menu) {
  auto* const workspaces = new WorkspaceMenu(workspaces_, this);
  menu->addMenu(workspaces);
  menuBar()->setCornerWidget(workspaces->make_bar());
  QMenu* const go = menu->addMenu(tr("&Go to panel"));
  add_action(go, u"go_to_graph"_s, tr("Graph"), QKeySequence(u"Alt+0"_s),
             [this] { graph_->view().setFocus(Qt::ShortcutFocusReason); });
  QAction* const message = add_action(go, u"go_to_message"_s, tr("Message"), QKeySequence(u"F6"_s),
                                      [this] { messages_->toggle_focus(); });
  message->setEnabled(false);
  connect(messages_, &MessageBar::seen_changed, message, &QAction::setEnabled);
  QMenu* const panels = menu->addMenu(tr("Pane&ls"));
  for (std::size_t i = 0; i < docks_.size(); ++i) {
    QDockWidget* const dock = docks_[i];
    panels->addAction(dock->toggleViewAction());
    add_action(go, u"go_to_"_s + dock->objectName(), dock->windowTitle(), key_of_panel(i),
               [this, dock] { go_to_dock(*dock); });
  }
  menu->addMenu(new LayoutMenu(*this, arrangement_version, [this] { workspaces_.reset(); }));
}

void MainWindow::make_text_actions(QMenu* menu) {
  const auto add = [this, menu](const QString& name, const QString& text, const QString& key,
                                const std::function<int()>& size) {
    add_search_words(*add_action(menu, name, text, QKeySequence(key),
                                 [this, size] { choose_text_size(size()); }),
                     tr("font size, letters, scale of the window"));
  };
  add(u"larger_text"_s, tr("La&rger text"), u"Ctrl+Alt++"_s,
      [] { return next_text_size(remembered_text_size(), 1); });
  add(u"smaller_text"_s, tr("S&maller text"), u"Ctrl+Alt+-"_s,
      [] { return next_text_size(remembered_text_size(), -1); });
  add(u"normal_text"_s, tr("&Normal text"), u"Ctrl+Alt+0"_s, [] { return normal_text_size; });
}

void MainWindow::make_theme_menu(QMenu* menu) {
  QMenu* const theme = menu->addMenu(tr("&Theme"));
  auto* const group = new QActionGroup(theme);
  const QStringList names = {tr("As the system"), tr("Light"), tr("Dark"), tr("High contrast")};
  const int chosen = QSettings().value(u"window/theme"_s).toInt();
  for (int choice = 0; choice < names.size(); ++choice) {
    QAction* const action = add_action(theme, u"theme_%1"_s.arg(choice), names[choice], {},
                                       [this, choice] { choose_theme(choice); });
    action->setCheckable(true);
    action->setChecked(choice == chosen);
    group->addAction(action);
  }
}

void MainWindow::make_run_menu() {
  QMenu* const menu = menuBar()->addMenu(tr("&Run"));
  menu->setToolTipsVisible(true);
  add_action(menu, u"run"_s, tr("&Run the step"), QKeySequence(u"F5"_s), [this] {
    document_.run();
  })->setIcon(icon(Icon::run));
  add_action(menu, u"cancel_run"_s, tr("&Cancel"), QKeySequence(u"Esc"_s), [this] {
    document_.run_job().cancel();
    document_.cancel();
    planning_.stop();
  })->setIcon(icon(Icon::stop));
  menu->addSeparator();
  menu->addMenu(device_menu_ = new DeviceMenu(document_, this));
  menu->addMenu(order_menu_ = new OrderMenu(document_, this));
  menu->addMenu(fusion_menu_ = new FusionMenu(document_, this));
  menu->addMenu(new OptimizerMenu(document_, this));
  menu->addSeparator();
  add_action(menu, u"import_measurement"_s, tr("&Import a measurement…"), {},
             [this] { ask_to_import_measurement(document_, *this); });
  add_action(menu, u"export_measurement"_s, tr("&Export the measurement…"), {},
             [this] { ask_to_export_measurement(document_, *this); });
  connect(&document_, &Document::measured_changed, this, &MainWindow::enable_actions);
  connect(&document_.study_job(), &StudyJob::busy_changed, this, &MainWindow::enable_cancel);
}

void MainWindow::make_toolbar() {
  auto* const bar = new ToolBar(tr("Tools"));
  addToolBar(bar);
  bar->setObjectName(u"toolbar"_s);
  bar->setMovable(false);
  bar->setIconSize(QSize(18, 18));
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  for (const QString& name :
       {u"open"_s, u"save_session"_s, QString(), u"undo"_s, u"redo"_s, QString(), u"run"_s}) {
    if (name.isEmpty()) {
      bar->addSeparator();
    } else {
      bar->addAction(actions_[name]);
    }
  }
  make_choice_buttons(bar);
  add_budget_field(bar);
  auto* const room = new QWidget;
  room->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar->addWidget(room);
  bar->addAction(actions_[u"find"_s]);
  bar->addAction(actions_[u"commands"_s]);
  actions_[u"open"_s]->setIconText(tr("Open"));
  actions_[u"save_session"_s]->setIconText(tr("Save"));
  actions_[u"run"_s]->setIconText(tr("Run"));
  actions_[u"find"_s]->setIconText(tr("Find"));
  actions_[u"commands"_s]->setIconText(tr("Commands"));
}

/// Adds buttons for device, order and fusion. Each button opens the menu that changes the choice.
void MainWindow::make_choice_buttons(QToolBar* bar) {
  QToolButton* const device = add_button(bar, u"device_button"_s, tr("Device"), device_menu_);
  bar->addSeparator();
  QToolButton* const order = add_button(bar, u"order_button"_s, tr("Execution order"), order_menu_);
  QToolButton* const fusion = add_button(bar, u"fusion_button"_s, tr("Fusion"), fusion_menu_);
  const auto show_choices = [=, this] {
    const Choices& choices = document_.choices();
    device->setText(tr("on %1").arg(shown(choices.device.value_or("cpu"))));
    order->setText(tr("Order: %1").arg(shown(choice_text(choices.order.strategy, planned_order))));
    fusion->setText(
        tr("Fused groups: %1").arg(shown(choice_text(choices.fusion.strategy, no_fusion))));
    const bool is_of_pytorch = is_captured(document_.study().get());
    for (QToolButton* const each : {device, order, fusion}) {
      each->setEnabled(document_.study() != nullptr && !is_of_pytorch);
      each->setToolTip(is_of_pytorch ? tr("A captured step stays as PyTorch ran it")
                                     : each->accessibleName());
    }
  };
  connect(&document_, &Document::choices_changed, bar, show_choices);
  connect(&document_, &Document::study_changed, bar, show_choices);
  show_choices();
}

void MainWindow::enable_actions() {
  const bool has_model = document_.study() != nullptr;
  for (const QString& name :
       {u"save_session"_s, u"save_session_as"_s, u"save_model"_s, u"save_report"_s,
        u"export_graph"_s, u"find_plan"_s, u"find"_s, u"find_next"_s, u"find_previous"_s,
        u"compare"_s, u"zoom_in"_s, u"zoom_out"_s, u"show_all"_s, u"close_groups"_s,
        u"go_to_peak"_s, u"set_budget"_s, u"find_largest"_s, u"count_reserved"_s}) {
    actions_[name]->setEnabled(has_model);
  }
  enable_exports();
  actions_[u"import_measurement"_s]->setEnabled(has_model);
  actions_[u"export_measurement"_s]->setEnabled(document_.measured() != nullptr);
  const QString why = document_.why_wait();
  for (const QString& name : {u"plan"_s, u"draw_curve"_s}) {
    enable_unless(*actions_[name], why, {});
  }
  enable_unless(*actions_[u"run"_s], document_.why_no_run(), {});
  actions_[u"stop_planning"_s]->setEnabled(document_.exclusive_work().current() ==
                                           HeavyWork::search);
  enable_cancel();
}

/// A step has plans either for ONNX Runtime or for PyTorch.
void MainWindow::enable_exports() {
  const bool is_of_pytorch = is_captured(document_.study().get());
  const QString no_model = document_.study() == nullptr ? tr("Open a model first") : QString();
  const QString not_runtime =
      is_of_pytorch ? tr("The plans of a captured step are for PyTorch: choose File > Export plan "
                         "for PyTorch (Ctrl+Shift+Y)")
                    : no_model;
  const QString not_pytorch =
      !is_of_pytorch && no_model.isEmpty()
          ? tr("The plans of an ONNX model are for ONNX Runtime. Capture the step with "
               "stashscope.capture to get plans for PyTorch")
          : no_model;
  enable_unless(*actions_[u"export_environment"_s], not_runtime, {});
  enable_unless(*actions_[u"copy_config"_s], not_runtime, {});
  enable_unless(*actions_[u"export_plan"_s], not_pytorch, {});
}

void MainWindow::enable_cancel() {
  const bool is_working =
      document_.study_job().is_busy() || document_.exclusive_work().current() != HeavyWork::none;
  actions_[u"cancel_run"_s]->setEnabled(is_working);
}

void MainWindow::fill_recent_menu() {
  recent_menu_->clear();
  for (const QString& file : recent_files_there()) {
    recent_menu_->addAction(menu_text(file), this, [this, file] { open_file(file); });
  }
  if (recent_menu_->isEmpty()) recent_menu_->addAction(tr("Nothing yet"))->setEnabled(false);
  give_mnemonics(*recent_menu_);
}

void MainWindow::fill_sample_menu() {
  if (!sample_menu_->isEmpty()) return;
  for (const QString& file : sample_models()) {
    sample_menu_->addAction(menu_text(QFileInfo(file).completeBaseName()), this,
                            [this, file] { open_file(file); });
  }
  give_mnemonics(*sample_menu_);
}

void MainWindow::choose_theme(int choice) {
  QSettings().setValue(u"window/theme"_s, choice);
  apply_theme(*qApp, static_cast<ThemeChoice>(choice));
}

void MainWindow::choose_text_size(int percent) {
  const double before = text_scale();
  remember_text_size(percent);
  apply_text_size(*qApp, percent);
  paced_panels_.draw(docks_);
  // The graph zooms by the same factor, because its texts are part of the picture.
  if (document_.study() != nullptr) graph_->view().scale_texts(text_scale() / before);
}

void MainWindow::show_commands() { palette_->open(all_commands(*menuBar(), *this)); }

}  // namespace stashscope::ui
