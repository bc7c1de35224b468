#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QSortFilterProxyModel>

#include "ui/models/table_model.h"
#include "ui/palette/commands.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// A table of commands with their keys, one row for each command.
class ShortcutModel : public TableModel {
  Q_OBJECT

 public:
  enum Column { place, name, keys };
  /// Role of the text that a search looks at: the shown text, and other words for the command.
  static constexpr int search_role = sort_role + 1;

  explicit ShortcutModel(std::vector<Command> commands, QObject* parent = nullptr);

 protected:
  int rows() const override { return static_cast<int>(commands_.size()); }
  QVariant cell(int row, int column, int role) const override;

 private:
  std::vector<Command> commands_;
};

/// A dialog with a table of commands and their keys, and a field that filters the table. Deletes
/// itself when closed.
class ShortcutSheet : public QDialog {
  Q_OBJECT

 public:
  ShortcutSheet(std::vector<Command> commands, QWidget* parent);

 private:
  ShortcutModel model_;
  QSortFilterProxyModel filtered_;
  QLineEdit* search_;
  TableView* table_;
};

}  // namespace stashscope::ui
