#include "ui/window/workspace_menu.h"

#include <QHBoxLayout>
#include <QToolButton>

namespace stashscope::ui {

using namespace Qt::StringLiterals;

WorkspaceMenu::WorkspaceMenu(Workspaces& workspaces, QWidget* parent)
    : QMenu(tr("&Workspaces"), parent), workspaces_(workspaces), entries_(new QActionGroup(this)) {
  setObjectName(u"workspace_menu"_s);
  setToolTipsVisible(true);
  int number = 0;
  for (const Workspace& each : ui::workspaces()) {
    add(QString::fromLatin1(each.id), Workspaces::tr(each.title), Workspaces::tr(each.purpose),
        QKeySequence(u"Ctrl+%1"_s.arg(++number)));
  }
  addSeparator();
  add(QString::fromLatin1(all_panels), tr("All panels"), tr("Every panel around the graph"), {});
  show_current(workspaces.current());
  connect(&workspaces, &Workspaces::chosen, this, &WorkspaceMenu::show_current);
}

void WorkspaceMenu::add(const QString& id, const QString& title, const QString& purpose,
                        const QKeySequence& key) {
  QAction* const entry = addAction(title, this, [this, id] { workspaces_.choose(id); });
  entry->setObjectName(u"workspace_"_s + id);
  entry->setData(id);
  entry->setToolTip(purpose);
  entry->setShortcut(key);
  entry->setCheckable(true);
  entries_->addAction(entry);
}

void WorkspaceMenu::show_current(const QString& id) {
  for (QAction* const entry : entries_->actions()) entry->setChecked(entry->data() == id);
}

QWidget* WorkspaceMenu::make_bar() const {
  auto* const bar = new QWidget;
  bar->setObjectName(u"workspace_bar"_s);
  bar->setAccessibleName(tr("Workspaces"));
  auto* const row = new QHBoxLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  for (QAction* const entry : entries_->actions()) {
    if (entry->shortcut().isEmpty()) continue;
    auto* const button = new QToolButton;
    button->setObjectName(entry->objectName() + u"_button"_s);
    button->setDefaultAction(entry);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    row->addWidget(button);
  }
  return bar;
}

}  // namespace stashscope::ui
