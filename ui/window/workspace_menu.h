#pragma once

#include <QActionGroup>
#include <QMenu>

#include "ui/window/workspaces.h"

namespace stashscope::ui {

/// A menu with an entry and a key for each workspace, and an entry for the arrangement of all
/// panels.
class WorkspaceMenu : public QMenu {
  Q_OBJECT

 public:
  explicit WorkspaceMenu(Workspaces& workspaces, QWidget* parent = nullptr);

  /// A row of buttons for the entries that have a key. @return owned by the caller
  QWidget* make_bar() const;

 private:
  void add(const QString& id, const QString& title, const QString& purpose,
           const QKeySequence& key);
  void show_current(const QString& id);

  Workspaces& workspaces_;
  QActionGroup* entries_;
};

}  // namespace stashscope::ui
