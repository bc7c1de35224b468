#pragma once

#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPointer>

#include "ui/palette/command_model.h"

namespace stashscope::ui {

/// A text field over the window, with a list of the commands that match the typed letters. The
/// arrow keys select a command, Return runs it, Escape or a click elsewhere closes the palette.
/// Commands that cannot be done now are listed only after letters are typed. They are grey, state
/// the reason, and do nothing.
class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  explicit CommandPalette(QWidget* window);

  void open(std::vector<Command> commands);

 Q_SIGNALS:
  /// The user chose a command whose action was deleted after the palette was opened.
  void missed(const QString& name);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& pattern);
  void place();
  void move_current(int rows);
  void run(const QModelIndex& index);
  void leave();
  bool take_key(int key);

  CommandModel model_;
  QLineEdit* line_;
  QListView* list_;
  QLabel* nothing_;  ///< shown instead of an empty list
  QPointer<QWidget> focused_before_;
};

}  // namespace stashscope::ui
