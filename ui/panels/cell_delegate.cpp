#include "ui/panels/cell_delegate.h"

#include <QApplication>

namespace stashscope::ui {

namespace {

constexpr int padding = 6;

QStyleOptionViewItem padded(QStyleOptionViewItem option) {
  option.rect.adjust(padding, 0, -padding, 0);
  return option;
}

}  // namespace

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  QStyleOptionViewItem whole = option;
  initStyleOption(&whole, index);
  const QStyle* const style = option.widget != nullptr ? option.widget->style() : qApp->style();
  style->drawPrimitive(QStyle::PE_PanelItemViewItem, &whole, painter, option.widget);
  QStyleOptionViewItem inner = padded(option);
  inner.state &= ~QStyle::State_HasFocus;
  QStyledItemDelegate::paint(painter, inner, index);
}

bool CellDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                               const QStyleOptionViewItem& option, const QModelIndex& index) {
  return QStyledItemDelegate::editorEvent(event, model, padded(option), index);
}

}  // namespace stashscope::ui
