#pragma once

#include <QMenu>
#include <QPointer>

#include "ui/document/document.h"
#include "ui/pictures/picture.h"

class QFileDialog;
class QTimer;

namespace stashscope::ui {

/// Actions that save or copy the picture of a view of the window, or save the data of the view. The
/// actions are in the menu of each view and in the list of commands. A further menu applies them to
/// the view of the panel that had the focus last.
class PictureActions : public QObject {
  Q_OBJECT

 public:
  /// @param first the view that the menu of `make_menu` acts on until another view has the focus
  PictureActions(Document& document, QWidget& window, QWidget& first);

  /// Adds the actions to every view inside the window.
  void add_to_views();
  QMenu* make_menu();

  void save_picture(QWidget& view);
  void copy_picture(QWidget& view);
  void save_data(QWidget& view);

 private:
  using Act = void (PictureActions::*)(QWidget&);

  /// An action: its object name, its text, its key in the menu, and its function.
  struct Entry {
    QString name;
    QString text;
    QString key;
    Act act;
  };
  static std::vector<Entry> entries();

  void remember_focus(QWidget* focused);
  /// The visible view that the actions apply to while `focused` has the focus: `focused` itself or
  /// a view around it, otherwise the first view of its panel. Null if there is no such view.
  QWidget* view_of(QWidget* focused) const;
  /// The view of the panel that had the focus last, if one is visible, otherwise `first_`.
  QWidget& seen_view();
  /// Whether there is something to save or copy. If not, shows a message.
  bool has_content(QWidget& view);
  /// Whether the document's study belongs to the newest choices. True without a study.
  bool has_current_study() const;
  bool is_current(QWidget& view) const;
  /// Calls `act` once the view shows the chosen step. Gives up if another model is opened, or if
  /// the view is hidden and is updated only while it is visible.
  void when_current(QWidget& view, const std::function<void()>& act);
  void give_up(QTimer& waiting, const QString& why);
  void write_picture(QWidget& view, const QString& path);
  void copy_current(QWidget& view);
  void write_data(QWidget& view, const QString& path);
  /// Makes a dialog that asks for a file to write, see `make_save_dialog`.
  QFileDialog* ask(const QWidget& view, const QString& title, const QString& suffix);
  void say_nothing_to_show(const QWidget& view);

  Document& document_;
  QWidget& window_;
  QWidget& first_;
  QPointer<QWidget> focused_;  ///< the last focused widget that is in a view, or in a view's panel
};

}  // namespace stashscope::ui
