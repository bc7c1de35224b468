#include "ui/widgets/invitation.h"

#include <QPainter>

namespace stashscope::ui {

void paint_invitation(QAbstractItemView& view, const QString& invitation) {
  const bool is_empty = view.model() == nullptr || view.model()->rowCount() == 0;
  if (!is_empty || invitation.isEmpty()) return;
  QPainter painter(view.viewport());
  painter.setPen(view.palette().color(QPalette::PlaceholderText));
  painter.drawText(view.viewport()->rect().adjusted(16, 16, -16, -16),
                   Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, invitation);
}

}  // namespace stashscope::ui
