#include "ui/panels/orders/share_delegate.h"

#include <QPainter>

#include "ui/theme/theme.h"

namespace stashscope::ui {

void ShareDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  CellDelegate::paint(painter, option, index);
  constexpr int thickness = 3;
  const QRect cell = option.rect.adjusted(padding, 0, -padding, -2);
  const int width = static_cast<int>(index.data(share_role_).toDouble() * cell.width());
  const bool is_selected = option.state.testFlag(QStyle::State_Selected);
  const QColor colour = is_selected ? option.palette.color(QPalette::HighlightedText)
                                    : theme_of(option.palette).stash;
  painter->fillRect(cell.left(), cell.bottom() + 1 - thickness, width, thickness, colour);
}

}  // namespace stashscope::ui
