#pragma once

#include <QPainter>
#include <QWidget>
#include <functional>
#include <string>

namespace stashscope::ui {

/// A picture that any thread can paint on any device. It owns all data that it needs.
struct Picture {
  QString title;
  QSizeF size;                           ///< empty: there is nothing to show
  std::function<void(QPainter&)> paint;  ///< paints from (0, 0) to `size`
  std::function<std::string()> svg;      ///< makes the SVG; not set: `paint` makes it
};

/// Returns the data of a picture as CSV. Can be called on any thread.
using PictureData = std::function<std::string()>;
/// Called with the data of a view. The data is null if there is nothing to show.
using DataTaker = std::function<void(const PictureData&)>;

/// A view that can be saved as a picture and as data. Its accessible name is the picture's name.
class PictureSource {
 public:
  virtual ~PictureSource() = default;

  /// A picture of the view's content, in light colours.
  /// @param title names the content, such as the model
  virtual Picture picture(const QString& title) = 0;
  /// The data of the view, for views that can make their data without delay; not set if there is
  /// nothing to show. Call this on the interface thread.
  virtual PictureData picture_data() { return {}; }
  /// Passes the data to `take`, at once or in a later event. Call this on the interface thread.
  virtual void gather_data(const DataTaker& take) { take(picture_data()); }
  /// Whether there is something to show. To be overridden if `picture_data` takes long, or if only
  /// `gather_data` makes the data of the view.
  virtual bool has_picture() { return picture_data() != nullptr; }

  /// Whether the view shows the document's study.
  bool is_current() const { return !is_current_ || is_current_(); }
  /// Sets the function that `is_current` calls. Needed only for a view that does not always show
  /// the document's study, for example because the view is updated only while it is visible.
  /// Without this function, `is_current` returns true.
  void current_if(std::function<bool()> is_current) { is_current_ = std::move(is_current); }

 private:
  std::function<bool()> is_current_;
};

/// Records what `paint` paints, in the size and font of the view and in light colours. Call this on
/// the interface thread; it calls `paint` once.
Picture recorded(QWidget& view, const QString& title, const std::function<void(QPainter&)>& paint);
/// Records what `paint` paints on a page of size `size`, in the font of the view and in light
/// colours. Call this on the interface thread; it calls `paint` once.
Picture recorded(QWidget& view, const QString& title, const QSizeF& size,
                 const std::function<void(QPainter&)>& paint);

/// The actions of a view that save its picture and its data; for the view's own menu.
QList<QAction*> picture_actions(const QWidget& view);
/// Adds an action to a view and marks it for `picture_actions`.
void add_picture_action(QWidget& view, QAction* action);

}  // namespace stashscope::ui
