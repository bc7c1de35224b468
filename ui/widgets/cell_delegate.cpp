#include "ui/widgets/cell_delegate.h"

#include <QApplication>
#include <algorithm>

namespace stashscope::ui {

namespace {

QStyleOptionViewItem padded(QStyleOptionViewItem option) {
  option.rect.adjust(CellDelegate::padding, 0, -CellDelegate::padding, 0);
  return option;
}

}  // namespace

void CellDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  const bool cut =
      std::find(cut_at_end_.begin(), cut_at_end_.end(), index.column()) != cut_at_end_.end();
  if (cut) option->textElideMode = Qt::ElideRight;
}

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

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QSize size = QStyledItemDelegate::sizeHint(option, index);
  size.setHeight(std::max(size.height(), option.fontMetrics.height() + room_in_row));
  return size;
}

bool CellDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                               const QStyleOptionViewItem& option, const QModelIndex& index) {
  return QStyledItemDelegate::editorEvent(event, model, padded(option), index);
}

}  // namespace stashscope::ui
