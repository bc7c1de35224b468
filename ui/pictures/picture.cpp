#include "ui/pictures/picture.h"

#include <QAction>
#include <QPicture>

#include "ui/theme/theme.h"

namespace stashscope::ui {

namespace {

constexpr const char* action_mark = "picture_action";

}  // namespace

Picture recorded(QWidget& view, const QString& title, const QSizeF& size,
                 const std::function<void(QPainter&)>& paint) {
  const LightPalette light(view);
  QPicture record;
  QPainter painter(&record);
  painter.setFont(view.font());
  paint(painter);
  painter.end();
  // The bytes are stored instead of the QPicture, because a QPicture keeps the state of its last
  // replay.
  const QByteArray strokes(record.data(), static_cast<qsizetype>(record.size()));
  return {title,
          size,
          [strokes](QPainter& onto) {
            QPicture replayed;
            replayed.setData(strokes.constData(), static_cast<uint>(strokes.size()));
            replayed.play(&onto);
          },
          {}};
}

Picture recorded(QWidget& view, const QString& title, const std::function<void(QPainter&)>& paint) {
  return recorded(view, title, view.size(), paint);
}

QList<QAction*> picture_actions(const QWidget& view) {
  QList<QAction*> marked = view.actions();
  marked.removeIf([](const QAction* action) { return !action->property(action_mark).toBool(); });
  return marked;
}

void add_picture_action(QWidget& view, QAction* action) {
  action->setProperty(action_mark, true);
  view.addAction(action);
}

}  // namespace stashscope::ui
