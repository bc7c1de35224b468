#include "ui/window/main_window.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QKeyEvent>
#include <QScopedValueRollback>
#include <QScreen>
#include <QSettings>
#include <algorithm>

#include "core/base/advice.h"
#include "ui/document/recent_files.h"
#include "ui/panels/dimensions/dimensions_panel.h"
#include "ui/panels/dimensions/sweep_panel.h"
#include "ui/panels/history/history_panel.h"
#include "ui/panels/inspector/inspector_panel.h"
#include "ui/panels/memory/alive_panel.h"
#include "ui/panels/memory/memory_panel.h"
#include "ui/panels/orders/orders_panel.h"
#include "ui/panels/run/run_panel.h"
#include "ui/panels/what_ifs/what_ifs_panel.h"
#include "ui/text/texts.h"
#include "ui/widgets/key_action.h"
#include "ui/widgets/main_widget.h"
#include "ui/widgets/popup_keys.h"
#include "ui/widgets/quiet_wheel.h"
#include "ui/widgets/side_buttons.h"
#include "ui/window/file_drops.h"
#include "ui/window/status_line.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr QSize first_window_size(1440, 900);

/// The largest size of a window that fits on a screen with its frame.
QSize room_on(const QScreen& screen) {
  constexpr QSize frame(16, 48);
  return screen.availableSize() - frame;
}

bool takes_focus(const QWidget& widget) {
  return (widget.focusPolicy() & Qt::TabFocus) != 0 && widget.isEnabled() && widget.isVisible();
}

/// Whether a note advises to set a size.
bool advises_sizes(const std::vector<std::string>& notes) {
  return std::ranges::any_of(notes, [](const std::string& note) {
    const auto advice = find_advice(note).advice;
    return advice && (advice->action == Advice::Action::set_dimension ||
                      advice->action == Advice::Action::set_dimensions);
  });
}

bool is_tab(const QWidget& widget) {
  return widget.inherits("QTabBar") || widget.inherits("QTabWidget");
}

}  // namespace

MainWindow::MainWindow(const WindowPlaces& places, QWidget* parent)
    : QMainWindow(parent),
      planning_(document_),
      autosave_(document_, places.autosave_folder),
      workspaces_(*this, arrangement_version),
      messages_(new MessageBar),
      center_(new QStackedWidget),
      welcome_(new Welcome(Thumbnails(places.thumbnail_folder))),
      recorder_(new RecentRecorder(document_, Thumbnails(places.thumbnail_folder), this)),
      graph_(new GraphPanel(document_, places.layout_program)),
      plans_(new PlansPanel(document_)),
      planner_(new PlannerPanel(document_, planning_)),
      compare_(new ComparePanel(document_)),
      overview_(new OverviewPanel(document_)),
      pictures_(new PictureActions(document_, *this, graph_->view())),
      palette_(new CommandPalette(this)) {
  setObjectName(u"main_window"_s);
  qApp->installEventFilter(new QuietWheel(this));
  qApp->installEventFilter(new PopupKeys(this));
  setAcceptDrops(true);
  auto* const drops = new FileDrops(*this);
  qApp->installEventFilter(drops);
  connect(drops, &FileDrops::dropped, this, &MainWindow::open_file);
  setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
  resize(first_window_size.boundedTo(room_on(*screen())));
  center_->addWidget(welcome_);
  center_->addWidget(graph_);
  auto* const middle = new QWidget;
  auto* const layout = new QVBoxLayout(middle);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(messages_);
  layout->addWidget(center_, 1);
  setCentralWidget(middle);
  auto* const status = new StatusLine(document_, planning_);
  connect(status, &StatusLine::notes_wanted, this, &MainWindow::show_notes);
  make_docks();
  for (const QString& view : {u"icicle_view"_s, u"alive_table"_s}) {
    findChild<QWidget*>(view)->addAction(graph_->why_action());
  }
  pictures_->add_to_views();
  make_actions();
  // Added last, so that Tab leads from the graph to the panels and not to the notes.
  setStatusBar(status);
  connect_document();
  restoreGeometry(QSettings().value(u"window/geometry"_s).toByteArray());
  update_title();
}

QDockWidget* MainWindow::add_dock(const QString& name, const QString& title, QWidget* content,
                                  Qt::DockWidgetArea area) {
  auto* const dock = new QDockWidget(title);
  dock->setObjectName(name);
  dock->setWidget(content);
  addDockWidget(area, dock);
  dock->hide();
  docks_.push_back(dock);
  // Queued, because Qt emits the signal before it has placed the panels.
  connect(
      dock, &QDockWidget::visibilityChanged, this,
      [this, dock](bool visible) {
        if (!visible) follow_front_panel(*dock);
      },
      Qt::QueuedConnection);
  // Qt's own reaction would squeeze the panel between the others.
  disconnect(dock->toggleViewAction(), &QAction::triggered, dock, nullptr);
  connect(dock->toggleViewAction(), &QAction::triggered, dock, [this, dock](bool shown) {
    if (!shown) return static_cast<void>(dock->close());
    workspaces_.open(*dock);
  });
  return dock;
}

void MainWindow::make_docks() {
  setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  add_dock(u"plans_dock"_s, tr("Plans"), plans_, Qt::LeftDockWidgetArea);
  add_dock(u"orders_dock"_s, tr("Order and fusion"), new OrdersPanel(document_),
           Qt::LeftDockWidgetArea);
  auto* const dimensions = new DimensionsPanel(document_);
  add_dock(u"dimensions_dock"_s, tr("Dimensions"), dimensions, Qt::RightDockWidgetArea);
  auto* const inspector = new InspectorPanel(document_);
  add_dock(u"inspector_dock"_s, tr("Inspector"), inspector, Qt::RightDockWidgetArea);
  connect(inspector, &InspectorPanel::node_wanted, graph_,
          [this](NodeId node) { graph_->go_to(node); });
  connect(inspector, &InspectorPanel::tensor_wanted, graph_,
          [this](ValueId tensor) { graph_->go_to(tensor); });
  add_dock(u"run_dock"_s, tr("Run"), new RunPanel(document_), Qt::RightDockWidgetArea);
  memory_ = new MemoryPanel(document_);
  auto* const memory =
      add_dock(u"memory_dock"_s, tr("Memory over the step"), memory_, Qt::BottomDockWidgetArea);
  auto* const tensors = new AlivePanel(document_);
  connect(tensors, &AlivePanel::node_wanted, graph_,
          [this](NodeId node) { graph_->go_to(node, LinkedSelection::Cursor::stays); });
  connect(tensors, &AlivePanel::tensor_wanted, graph_,
          [this](ValueId tensor) { graph_->go_to(tensor); });
  auto* const alive =
      add_dock(u"alive_dock"_s, tr("Alive at the cursor"), tensors, Qt::BottomDockWidgetArea);
  splitDockWidget(memory, alive, Qt::Horizontal);
  add_sweep_dock(*dimensions, *memory);
  put_behind(u"plans_dock"_s,
             add_dock(u"planner_dock"_s, tr("Planner"), planner_, Qt::LeftDockWidgetArea));
  auto* const history = new HistoryPanel(document_);
  connect(history, &HistoryPanel::comparison_wanted, compare_, &ComparePanel::open_state);
  put_behind(u"inspector_dock"_s,
             add_dock(u"history_dock"_s, tr("History"), history, Qt::RightDockWidgetArea));
  put_behind(u"memory_dock"_s,
             add_dock(u"compare_dock"_s, tr("Compare"), compare_, Qt::BottomDockWidgetArea));
  put_behind(u"plans_dock"_s, add_dock(u"overview_dock"_s, tr("What holds the memory"), overview_,
                                       Qt::LeftDockWidgetArea));
  auto* const what_ifs = new WhatIfsPanel(document_);
  auto* const what_ifs_dock =
      add_dock(u"what_ifs_dock"_s, tr("What if"), what_ifs, Qt::LeftDockWidgetArea);
  connect(what_ifs_dock, &QDockWidget::visibilityChanged, what_ifs, &WhatIfsPanel::set_seen);
  put_behind(u"plans_dock"_s, what_ifs_dock);
  connect(overview_, &OverviewPanel::size_wanted, this, &MainWindow::go_to_size);
  connect(overview_, &OverviewPanel::optimizer_wanted, this, &MainWindow::open_optimizer_menu);
}

void MainWindow::go_to_size(const QString& dimension) {
  go_to_dock(*findChild<QDockWidget*>(u"dimensions_dock"_s));
  findChild<DimensionsPanel*>()->focus_size(dimension);
}

void MainWindow::open_optimizer_menu(const QPoint& at) { findChild<OptimizerMenu*>()->popup(at); }

/// Adds the panel that shows the peak against a dimension, as a tab behind the memory curve.
void MainWindow::add_sweep_dock(DimensionsPanel& dimensions, QDockWidget& memory) {
  auto* const sweep = new SweepPanel(document_);
  auto* const dock =
      add_dock(u"sweep_dock"_s, tr("Peak against a dimension"), sweep, Qt::BottomDockWidgetArea);
  tabifyDockWidget(&memory, dock);
  connect(dock, &QDockWidget::visibilityChanged, sweep, &SweepPanel::set_seen);
  connect(&dimensions, &DimensionsPanel::sweep_wanted, this,
          [this, sweep, dock](const QString& name) {
            workspaces_.open(*dock);
            sweep->show_dimension(name);
          });
}

void MainWindow::put_behind(const QString& front, QDockWidget* dock) {
  auto* const other = findChild<QDockWidget*>(front);
  tabifyDockWidget(other, dock);
  other->raise();
}

void MainWindow::go_to_dock(QDockWidget& dock) {
  if (!workspaces_.has_begun()) return;
  workspaces_.open(dock);
  if (QWidget* const main = main_widget(*dock.widget()); main != nullptr && takes_focus(*main)) {
    return main->setFocus(Qt::ShortcutFocusReason);
  }
  QWidget* first = dock.widget();
  // Finds the first widget of the panel, in tab order, that can take the focus and is no tab.
  for (QWidget* next = first; (is_tab(*next) || !takes_focus(*next)) && dock.isAncestorOf(next);) {
    next = next->nextInFocusChain();
    first = next;
  }
  if (dock.isAncestorOf(first)) first->setFocus(Qt::ShortcutFocusReason);
}

QDockWidget* MainWindow::covered_dock_of(const QWidget* widget) const {
  const auto found = std::ranges::find_if(docks_, [widget](const QDockWidget* dock) {
    return dock->isAncestorOf(widget) && dock->isVisible() && dock->visibleRegion().isEmpty();
  });
  return found == docks_.end() ? nullptr : *found;
}

/// The Tab key goes past panels that are behind others.
bool MainWindow::focusNextPrevChild(bool next) {
  const QScopedValueRollback tabbing(is_tabbing_, true);
  const QWidget* first_covered = nullptr;
  while (QMainWindow::focusNextPrevChild(next)) {
    const QWidget* const now = focusWidget();
    if (covered_dock_of(now) == nullptr || now == first_covered) return true;
    if (first_covered == nullptr) first_covered = now;
  }
  return false;
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  const bool is_escape = event->key() == Qt::Key_Escape && event->modifiers() == Qt::NoModifier;
  if (!is_escape || messages_->isHidden()) return QMainWindow::keyPressEvent(event);
  messages_->close_by_user();
}

/// A panel that another one covers must not keep the focus. It would come to the front again when a
/// dialog closes.
void MainWindow::follow_front_panel(QDockWidget& covered) {
  if (covered_dock_of(focusWidget()) != &covered) return;
  for (QDockWidget* const each : tabifiedDockWidgets(&covered)) {
    if (!each->visibleRegion().isEmpty()) return go_to_dock(*each);
  }
}

void MainWindow::connect_document() {
  connect(&document_, &Document::opened, this, &MainWindow::take_opened);
  connect(&document_.notices(), &Notices::failed, this, &MainWindow::show_failure);
  connect(&document_.notices(), &Notices::noticed, this, [this](const QString& message) {
    messages_->show_message(MessageBar::Tone::note, message);
  });
  connect(messages_, &MessageBar::declined, this, [this] { offers_unsaved_ = false; });
  connect(&document_, &Document::choices_changed, messages_, &MessageBar::dismiss);
  connect(&document_, &Document::study_changed, this, [this] {
    messages_->update_notes(document_.notes().join(u'\n'));
    enable_actions();
  });
  connect(&document_.exclusive_work(), &ExclusiveWork::changed, this, [this] {
    // The message about an earlier run or search is out of date.
    if (document_.exclusive_work().current() != HeavyWork::none) messages_->dismiss();
  });
  connect(&document_.files(), &DocumentFiles::paths_changed, this, &MainWindow::update_title);
  connect(&document_.files(), &DocumentFiles::plan_written, this, &MainWindow::show_plan_code);
  connect(&document_.files(), &DocumentFiles::session_saved, this, &MainWindow::take_saved);
  connect(&document_.exclusive_work(), &ExclusiveWork::changed, this, &MainWindow::enable_actions);
  connect(&document_, &Document::saved_changed, this,
          [this] { setWindowModified(!document_.is_saved()); });
  connect(qApp, &QApplication::focusChanged, this, [this](const QWidget*, const QWidget* now) {
    // The mnemonic of a field may move the focus to a panel that is behind another panel.
    QDockWidget* const dock = covered_dock_of(now);
    if (dock != nullptr && !is_tabbing_) dock->raise();
  });
  connect(&workspaces_, &Workspaces::focus_lost, this, [this](QDockWidget* panel) {
    if (panel != nullptr) return go_to_dock(*panel);
    graph_->view().setFocus(Qt::OtherFocusReason);
  });
  connect(compare_, &ComparePanel::choice_wanted, this, &MainWindow::choose_comparison);
  connect(compare_, &ComparePanel::failed, this, &MainWindow::show_failure);
  connect(compare_, &ComparePanel::opened, this, &MainWindow::show_comparison);
  connect(graph_, &GraphPanel::inspector_wanted, this, [this] {
    // The keyboard focus stays in the graph.
    workspaces_.open(*findChild<QDockWidget*>(u"inspector_dock"_s));
  });
  connect(graph_, &GraphPanel::plan_row_wanted, this, [this](NodeId node) {
    workspaces_.open(*findChild<QDockWidget*>(u"plans_dock"_s));
    plans_->show_node(node);
  });
  connect(plans_, &PlansPanel::node_wanted, graph_, [this](NodeId node) { graph_->go_to(node); });
  connect(plans_, &PlansPanel::export_wanted, this,
          [this] { actions_[u"export_plan"_s]->trigger(); });
  connect(welcome_, &Welcome::open_wanted, this, &MainWindow::choose_file);
  connect(welcome_, &Welcome::export_help_wanted, this, &MainWindow::show_export_document);
  connect(welcome_, &Welcome::capture_help_wanted, this, &MainWindow::show_pytorch_document);
  connect(plans_, &PlansPanel::pytorch_help_wanted, this, &MainWindow::show_pytorch_document);
  connect(planner_, &PlannerPanel::pytorch_help_wanted, this, &MainWindow::show_pytorch_document);
  connect(welcome_, &Welcome::file_wanted, this, &MainWindow::open_file);
}

void MainWindow::connect_history() {
  QAction* const back = actions_[u"back"_s];
  QAction* const forward = actions_[u"forward"_s];
  add_search_words(*back, tr("previous selection, history"));
  add_search_words(*forward, tr("next selection, history"));
  const auto enable = [this, back, forward] {
    back->setEnabled(history_.has_earlier());
    forward->setEnabled(history_.has_later());
  };
  connect(&history_, &SelectionHistory::changed, this, enable);
  connect(&history_, &SelectionHistory::walked, graph_, &GraphPanel::uncover);
  enable();
  qApp->installEventFilter(new SideButtons(*back, *forward, this));
}

QString MainWindow::pending() const {
  if (document_.study() == nullptr) return {};
  if (!graph_->is_settled()) return tr("the layout of the graph");
  if (!overview_->is_settled()) return tr("the sums by module");
  if (!memory_->is_settled()) return tr("the static arena");
  return workspaces_.has_begun() ? QString() : tr("the arrangement of the panels");
}

void MainWindow::take_opened() {
  messages_->close_message();
  if (offers_unsaved_) offer_unsaved(0);
  center_->setCurrentWidget(graph_);
  // Arranging the panels takes as long as showing the study, so it is an event of its own.
  QMetaObject::invokeMethod(&workspaces_, &Workspaces::begin, Qt::QueuedConnection);
  graph_->view().setFocus();
  // Views begin at their first row, even if the user scrolled down in the previous model.
  for (auto* const view : findChildren<QAbstractItemView*>()) view->scrollToTop();
  const QString& session = document_.files().session_path();
  add_recent_file(session.isEmpty() ? document_.model_path() : session);
  update_title();
}

void MainWindow::show_failure(const Failure& failure) {
  after_saving_ = nullptr;
  messages_->show_message(MessageBar::Tone::error, failure.message);
}

void MainWindow::show_notes() {
  std::vector<MessageBar::Action> actions;
  if (document_.study() != nullptr && advises_sizes(document_.study()->warnings)) {
    actions.push_back(
        {tr("Set sizes"), [this] { go_to_dock(*findChild<QDockWidget*>(u"dimensions_dock"_s)); }});
  }
  messages_->show_message(MessageBar::Tone::notes, document_.notes().join(u'\n'),
                          std::move(actions));
}

void MainWindow::update_title() {
  const QString& session = document_.files().session_path();
  const QString file = session.isEmpty() ? document_.model_path() : session;
  setWindowTitle(document_.study() == nullptr ? tr("Stashscope[*]")
                                              : tr("%1[*] – Stashscope").arg(name_of_file(file)));
  setWindowModified(!document_.is_saved());
}

QAction* MainWindow::add_saving(QMenu& menu, const QString& name, const QString& text,
                                const QString& key, const Saving& saving) {
  return add_action(&menu, name, text, QKeySequence(key), [this, saving] {
    if (saving.why_not != nullptr && document_.study() != nullptr) {
      const auto why_not = saving.why_not(*document_.study());
      if (why_not) return document_.notices().report(*why_not);
    }
    save_with(saving.title, saving.suffix,
              [this, save = saving.save](const QString& path) { save(document_, path); });
  });
}

}  // namespace stashscope::ui
