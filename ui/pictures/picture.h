#pragma once

#include <QPainter>
#include <QWidget>
#include <functional>
#include <string>

namespace stashscope::ui {

/// A picture that any thread can paint on any device. It keeps all that it needs.
struct Picture {
  QString title;
  QSizeF size;                           ///< empty: there is nothing to show
  std::function<void(QPainter&)> paint;  ///< paints from (0, 0) to `size`
  std::function<std::string()> svg;      ///< makes the SVG; not set: it is painted
};

/// The figures of a picture as CSV. Can be called on any thread.
using PictureData = std::function<std::string()>;
/// Receives figures; they are not set if there is nothing to show.
using DataTaker = std::function<void(const PictureData&)>;

/// A view that can be saved as a picture and as data. Its accessible name is the picture's name.
class PictureSource {
 public:
  virtual ~PictureSource() = default;

  /// What the view shows, in light colours. @param title names what is shown, such as the model
  virtual Picture picture(const QString& title) = 0;
  /// The figures of a view that has them at once. Not set if there is nothing to show. To be called
  /// on the interface thread.
  virtual PictureData picture_data() { return {}; }
  /// Hands the figures over, at once or in a later event. To be called on the interface thread.
  virtual void gather_data(const DataTaker& take) { take(picture_data()); }
  /// Whether there is something to show. Gathers no figures.
  virtual bool has_picture() { return picture_data() != nullptr; }
};

/// What `paint` paints for a view as large as it is on the screen, in the view's font and in light
/// colours. To be called on the interface thread; calls `paint` once.
Picture recorded(QWidget& view, const QString& title, const std::function<void(QPainter&)>& paint);
/// The same for a page of another size.
Picture recorded(QWidget& view, const QString& title, const QSizeF& size,
                 const std::function<void(QPainter&)>& paint);

/// The actions of a view that save its picture and its data; for the view's own menu.
QList<QAction*> picture_actions(const QWidget& view);
/// Marks an action as one of them.
void add_picture_action(QWidget& view, QAction* action);

}  // namespace stashscope::ui
