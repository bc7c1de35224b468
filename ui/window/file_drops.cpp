#include "ui/window/file_drops.h"

#include <QDropEvent>
#include <QMimeData>

#include "ui/widgets/floating.h"

namespace stashscope::ui {

namespace {

/// The path of the dragged file; empty unless exactly one local file is dragged.
QString dragged_file(const QDropEvent& event) {
  const auto urls = event.mimeData()->urls();
  return urls.size() == 1 ? urls.front().toLocalFile() : QString();
}

bool is_drag(QEvent::Type type) {
  return type == QEvent::DragEnter || type == QEvent::DragMove || type == QEvent::Drop;
}

}  // namespace

bool FileDrops::eventFilter(QObject* watched, QEvent* event) {
  if (!is_drag(event->type())) return false;
  const auto* const widget = qobject_cast<QWidget*>(watched);
  if (widget == nullptr || !is_part_of(*widget, window_)) return false;
  auto& drag = static_cast<QDropEvent&>(*event);
  const QString file = dragged_file(drag);
  if (file.isEmpty()) return false;
  drag.acceptProposedAction();
  if (event->type() == QEvent::Drop) Q_EMIT dropped(file);
  return true;
}

}  // namespace stashscope::ui
