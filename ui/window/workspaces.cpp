#include "ui/window/workspaces.h"

#include <QPointer>
#include <QSettings>
#include <algorithm>

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

QString setting_of(const QString& id) { return u"window/workspaces/"_s + id; }

const std::vector<Workspace>& table() {
  static const std::vector<Workspace> rows = {
      {"overview",
       QT_TRANSLATE_NOOP("Workspaces", "Overview"),
       QT_TRANSLATE_NOOP("Workspaces", "Which part of the model holds the memory"),
       34,
       {{"overview_dock", Qt::LeftDockWidgetArea, 51},
        {"memory_dock", Qt::BottomDockWidgetArea, 66},
        {"inspector_dock", Qt::BottomDockWidgetArea, 34},
        {"alive_dock", Qt::BottomDockWidgetArea, 34, "inspector_dock"}}},
      {"plan",
       QT_TRANSLATE_NOOP("Workspaces", "Plan"),
       QT_TRANSLATE_NOOP("Workspaces", "Which activations to recompute"),
       30,
       {{"plans_dock", Qt::LeftDockWidgetArea, 70},
        {"planner_dock", Qt::LeftDockWidgetArea, 70, "plans_dock"},
        {"what_ifs_dock", Qt::LeftDockWidgetArea, 70, "plans_dock"},
        {"memory_dock", Qt::BottomDockWidgetArea, 66},
        {"inspector_dock", Qt::BottomDockWidgetArea, 34}}},
      {"fit",
       QT_TRANSLATE_NOOP("Workspaces", "Fit"),
       QT_TRANSLATE_NOOP("Workspaces", "What fits the device, and at what price"),
       30,
       {{"planner_dock", Qt::LeftDockWidgetArea, 46},
        {"memory_dock", Qt::BottomDockWidgetArea, 66},
        {"sweep_dock", Qt::BottomDockWidgetArea, 66, "memory_dock"},
        {"dimensions_dock", Qt::BottomDockWidgetArea, 34}}},
      {"order",
       QT_TRANSLATE_NOOP("Workspaces", "Order and fusion"),
       QT_TRANSLATE_NOOP("Workspaces", "In which order the nodes run, and which run together"),
       36,
       {{"orders_dock", Qt::LeftDockWidgetArea, 46},
        {"memory_dock", Qt::BottomDockWidgetArea, 60},
        {"alive_dock", Qt::BottomDockWidgetArea, 40}}},
      {"run",
       QT_TRANSLATE_NOOP("Workspaces", "Run"),
       QT_TRANSLATE_NOOP("Workspaces", "Run the step and compare it with the prediction"),
       44,
       {{"run_dock", Qt::LeftDockWidgetArea, 46},
        {"memory_dock", Qt::BottomDockWidgetArea, 60},
        {"alive_dock", Qt::BottomDockWidgetArea, 40}}},
      {"compare",
       QT_TRANSLATE_NOOP("Workspaces", "Compare"),
       QT_TRANSLATE_NOOP("Workspaces", "What differs from another model or session"),
       34,
       {{"compare_dock", Qt::LeftDockWidgetArea, 66},
        {"memory_dock", Qt::BottomDockWidgetArea, 62},
        {"history_dock", Qt::BottomDockWidgetArea, 38}}},
  };
  return rows;
}

const Workspace* workspace_of(const QString& id) {
  const auto found = std::ranges::find_if(
      table(), [&](const Workspace& each) { return QLatin1StringView(each.id) == id; });
  return found == table().end() ? nullptr : &*found;
}

/// The panel's entry in the workspace where the panel is at home. This is the first workspace in
/// which the panel is not behind another one or, if there is no such workspace, the first that has
/// the panel.
const WorkspacePanel* home_of(const QString& dock) {
  const WorkspacePanel* as_tab = nullptr;
  for (const Workspace& workspace : table()) {
    for (const WorkspacePanel& panel : workspace.panels) {
      if (QLatin1StringView(panel.dock) != dock) continue;
      if (panel.behind == nullptr) return &panel;
      if (as_tab == nullptr) as_tab = &panel;
    }
  }
  return as_tab;
}

bool has_panel(const Workspace& workspace, const QString& dock) {
  return std::ranges::any_of(workspace.panels, [&](const WorkspacePanel& panel) {
    return QLatin1StringView(panel.dock) == dock;
  });
}

/// Whether a panel needs much width: a panel of the left area, or of at least half the width of the
/// window.
bool is_wide(const WorkspacePanel& panel) {
  return panel.area == Qt::LeftDockWidgetArea || panel.percent >= 50;
}

}  // namespace

std::span<const Workspace> workspaces() { return table(); }

bool is_workspace(const QString& id) {
  return QLatin1StringView(all_panels) == id || workspace_of(id) != nullptr;
}

Workspaces::Workspaces(QMainWindow& window, int version)
    : QObject(&window), window_(window), version_(version) {
  const QString remembered = QSettings().value(u"window/workspace"_s).toString();
  current_ = is_workspace(remembered) ? remembered : QString::fromLatin1(table().front().id);
}

QDockWidget* Workspaces::dock(const char* name) const {
  return window_.findChild<QDockWidget*>(QString::fromLatin1(name));
}

void Workspaces::begin() {
  if (has_begun_) return;
  has_begun_ = true;
  as_made_ = window_.saveState(version_);
  is_as_made_ = true;
  keep_earlier_arrangement();
  show_current();
}

/// Turns the single arrangement that earlier versions of the program saved into a saved layout.
void Workspaces::keep_earlier_arrangement() const {
  QSettings settings;
  const QByteArray earlier = settings.value(u"window/arrangement"_s).toByteArray();
  if (earlier.isEmpty()) return;
  QVariantMap layouts = settings.value(u"window/layouts"_s).toMap();
  layouts[tr("Before workspaces")] = earlier;
  settings.setValue(u"window/layouts"_s, layouts);
  settings.remove(u"window/arrangement"_s);
}

void Workspaces::choose(const QString& id) {
  if (!is_workspace(id)) return;
  if (id == current_ && has_begun_) return raise_own_panels();
  Q_EMIT leaving();
  remember();
  current_ = id;
  QSettings().setValue(u"window/workspace"_s, id);
  const QPointer<QWidget> focus = window_.focusWidget();
  if (has_begun_) show_current();
  Q_EMIT chosen(id);
  if (has_begun_ && focus != nullptr) keep_focus(focus);
}

/// When a focused widget is hidden, Qt moves the focus to the next widget, such as a button of
/// another workspace. If `before` is hidden, `focus_lost` is emitted instead; otherwise `before`
/// gets the focus back.
void Workspaces::keep_focus(QWidget* before) {
  if (before->isVisible()) return before->setFocus(Qt::OtherFocusReason);
  Q_EMIT focus_lost(own_panel());
}

QDockWidget* Workspaces::own_panel() const {
  const Workspace* const workspace = workspace_of(current_);
  if (workspace == nullptr) return nullptr;
  QDockWidget* const first = dock(workspace->panels.front().dock);
  return first->isVisible() ? first : nullptr;
}

void Workspaces::raise_own_panels() {
  const Workspace* const workspace = workspace_of(current_);
  if (workspace == nullptr) return;
  for (const WorkspacePanel& panel : workspace->panels) {
    if (panel.behind == nullptr) open(*dock(panel.dock));
  }
}

void Workspaces::open(QDockWidget& panel) {
  const Workspace* const workspace = workspace_of(current_);
  const bool has_place = workspace == nullptr || has_panel(*workspace, panel.objectName());
  if (panel.isHidden() && !panel.isFloating() && !has_place) place_as_guest(panel);
  panel.show();
  panel.raise();
}

/// Shows a panel that the current workspace does not have. Makes it a tab if possible, because a
/// tab takes no room from the panels of the workspace.
void Workspaces::place_as_guest(QDockWidget& panel) {
  const WorkspacePanel* const home = home_of(panel.objectName());
  if (home == nullptr) return;
  if (QDockWidget* const host = host_for(*home)) return window_.tabifyDockWidget(host, &panel);
  window_.addDockWidget(home->area, &panel);
  panel.show();
  window_.resizeDocks({&panel}, {window_.width() * home->percent / 100}, Qt::Horizontal);
}

/// The panel beside which a guest becomes a tab: of the docked panels in the area of `home`, the
/// largest or, if `home` is not wide (`is_wide`), the smallest. Null if the area is empty.
QDockWidget* Workspaces::host_for(const WorkspacePanel& home) const {
  const auto room = [](const QDockWidget* dock) { return dock->width() * dock->height(); };
  QList<QDockWidget*> hosts;
  for (QDockWidget* const each : docks()) {
    // Qt keeps the tabs behind others outside the window.
    const bool is_seen =
        each->isVisible() && !each->isFloating() && window_.rect().intersects(each->geometry());
    if (is_seen && window_.dockWidgetArea(each) == home.area) hosts << each;
  }
  if (hosts.isEmpty()) return nullptr;
  return is_wide(home) ? *std::ranges::max_element(hosts, {}, room)
                       : *std::ranges::min_element(hosts, {}, room);
}

void Workspaces::remember() {
  if (has_begun_) QSettings().setValue(setting_of(current_), window_.saveState(version_));
}

void Workspaces::show_current() {
  const QByteArray remembered = QSettings().value(setting_of(current_)).toByteArray();
  if (remembered.isEmpty() || !window_.restoreState(remembered, version_)) reset();
  is_as_made_ = false;
  Q_EMIT arranged();
}

void Workspaces::reset() {
  if (!has_begun_) return;
  if (const Workspace* const workspace = workspace_of(current_)) {
    arrange(*workspace);
  } else {
    arrange_all();
  }
  Q_EMIT arranged();
}

void Workspaces::arrange_all() {
  if (!is_as_made_) window_.restoreState(as_made_, version_);
  for (QDockWidget* const each : docks()) each->show();
  const int left = std::clamp(window_.width() * 32 / 100, 240, 600);
  const int right = std::clamp(window_.width() * 22 / 100, 240, 340);
  const int across = window_.width();
  window_.resizeDocks({dock("plans_dock"), dock("inspector_dock")}, {left, right}, Qt::Horizontal);
  window_.resizeDocks({dock("memory_dock"), dock("alive_dock")}, {across * 6 / 10, across * 4 / 10},
                      Qt::Horizontal);
  window_.resizeDocks({dock("memory_dock")},
                      {std::clamp((window_.height() - 200) * 42 / 100, 170, 420)}, Qt::Vertical);
  window_.resizeDocks({dock("plans_dock"), dock("orders_dock")}, {300, 300}, Qt::Vertical);
  window_.resizeDocks({dock("dimensions_dock"), dock("inspector_dock"), dock("run_dock")},
                      {110, 210, 250}, Qt::Vertical);
  for (const char* const front : {"plans_dock", "inspector_dock", "memory_dock"}) {
    dock(front)->raise();
  }
}

void Workspaces::arrange(const Workspace& workspace) {
  for (QDockWidget* const each : docks()) {
    each->setFloating(false);
    each->hide();
  }
  place(workspace);
  size(workspace);
}

void Workspaces::place(const Workspace& workspace) {
  for (const WorkspacePanel& panel : workspace.panels) {
    QDockWidget* const each = dock(panel.dock);
    if (panel.behind == nullptr) {
      window_.addDockWidget(panel.area, each);
    } else {
      window_.tabifyDockWidget(dock(panel.behind), each);
    }
    each->show();
    if (panel.behind != nullptr) dock(panel.behind)->raise();
  }
}

void Workspaces::size(const Workspace& workspace) {
  QList<QDockWidget*> bottom;
  QList<int> widths;
  for (const WorkspacePanel& panel : workspace.panels) {
    const int width = window_.width() * panel.percent / 100;
    if (panel.behind != nullptr) continue;
    if (panel.area == Qt::BottomDockWidgetArea) {
      bottom << dock(panel.dock);
      widths << width;
    } else {
      window_.resizeDocks({dock(panel.dock)}, {width}, Qt::Horizontal);
    }
  }
  if (bottom.isEmpty()) return;
  window_.resizeDocks(bottom, widths, Qt::Horizontal);
  window_.resizeDocks({bottom.front()}, {window_.height() * workspace.bottom_percent / 100},
                      Qt::Vertical);
}

}  // namespace stashscope::ui
