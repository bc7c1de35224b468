#pragma once

#include <QAbstractListModel>

#include "ui/palette/commands.h"

namespace stashscope::ui {

/// The commands that match the typed text, best first.
class CommandModel : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { keys = Qt::UserRole, name_start, places, why_not };

  using QAbstractListModel::QAbstractListModel;

  void set_commands(std::vector<Command> commands);
  void set_pattern(const QString& pattern);
  /// Whether the command of a row can be done now. Commands that cannot be done are listed only
  /// while a pattern is typed.
  bool can_be_done(int row) const {
    return ui::can_be_done(shown_[static_cast<std::size_t>(row)].command);
  }
  /// The action of a row; null if the action has been deleted.
  QAction* action(int row) const { return shown_[static_cast<std::size_t>(row)].command.action; }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

 private:
  std::vector<Command> all_;
  std::vector<RankedCommand> shown_;
};

}  // namespace stashscope::ui
