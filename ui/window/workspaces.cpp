#include "ui/window/workspaces.h"

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
       34,
       {{"plans_dock", Qt::LeftDockWidgetArea, 70},
        {"memory_dock", Qt::BottomDockWidgetArea, 66},
        {"inspector_dock", Qt::BottomDockWidgetArea, 34}}},
      {"fit",
       QT_TRANSLATE_NOOP("Workspaces", "Fit"),
       QT_TRANSLATE_NOOP("Workspaces", "What fits the device, and at which price"),
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
        {"memory_dock", Qt::BottomDockWidgetArea, 62},
        {"alive_dock", Qt::BottomDockWidgetArea, 38}}},
      {"run",
       QT_TRANSLATE_NOOP("Workspaces", "Run"),
       QT_TRANSLATE_NOOP("Workspaces", "Run the step and compare it with the prediction"),
       44,
       {{"run_dock", Qt::LeftDockWidgetArea, 46},
        {"memory_dock", Qt::BottomDockWidgetArea, 62},
        {"alive_dock", Qt::BottomDockWidgetArea, 38}}},
      {"compare",
       QT_TRANSLATE_NOOP("Workspaces", "Compare"),
       QT_TRANSLATE_NOOP("Workspaces", "What changed against another model or session"),
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
  if (!is_workspace(id) || (id == current_ && has_begun_)) return;
  remember();
  current_ = id;
  QSettings().setValue(u"window/workspace"_s, id);
  if (has_begun_) show_current();
  Q_EMIT chosen(id);
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
