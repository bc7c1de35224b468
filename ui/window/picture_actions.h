#pragma once

#include <QMenu>
#include <QPointer>

#include "ui/document/document.h"
#include "ui/pictures/picture.h"

class QFileDialog;

namespace stashscope::ui {

/// Saves and copies the pictures and the data of the window's views: in the menu of each view, in
/// the list of commands, and in a menu for the view that had the focus last.
class PictureActions : public QObject {
  Q_OBJECT

 public:
  /// Whether a view shows the document's choices, and not an earlier step.
  using IsCurrent = std::function<bool(const QWidget&)>;

  /// @param first the view that the menu is about until another one has the focus
  PictureActions(Document& document, QWidget& window, QWidget& first, IsCurrent is_current);

  /// Gives their actions to all views inside the window.
  void add_to_views();
  QMenu* make_menu();

  void save_picture(QWidget& view);
  void copy_picture(QWidget& view);
  void save_data(QWidget& view);

 private:
  using Act = void (PictureActions::*)(QWidget&);

  /// The three actions: name, text for one view, key in the menu.
  struct Entry {
    QString name;
    QString text;
    QString key;
    Act act;
  };
  static std::vector<Entry> entries();

  void remember_focus(QWidget* focused);
  /// The view that had the focus last, if it is visible; else the first one.
  QWidget& seen_view();
  /// Waits while the view shows an earlier step.
  void when_current(QWidget& view, const std::function<void()>& act);
  void write_picture(QWidget& view, const QString& path);
  void copy_current(QWidget& view);
  void write_data(QWidget& view, const QString& path);
  /// Asks where to save a file about the view.
  QFileDialog* ask(const QWidget& view, const QString& title, const QString& suffix);
  void say_nothing_to_show(const QWidget& view);

  Document& document_;
  QWidget& window_;
  QWidget& first_;
  IsCurrent is_current_;
  QPointer<QWidget> current_;
};

}  // namespace stashscope::ui
