#include "ui/panels/memory/tensor_delegate.h"

#include <QApplication>

namespace stashscope::ui {

QString TensorDelegate::text_in(int width, const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
  if (!names_) names_.emplace(all_());
  return names_->shortened(index.data().toString(), [&](const QString& text) {
    return option.fontMetrics.horizontalAdvance(text) <= width;
  });
}

void TensorDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  CellDelegate::initStyleOption(option, index);
  // Without a place, the width of the whole name is asked for.
  if (option->rect.width() <= 0) return;
  const QStyle* const style = option->widget != nullptr ? option->widget->style() : qApp->style();
  const QRect text = style->subElementRect(QStyle::SE_ItemViewItemText, option, option->widget);
  const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, option, option->widget) + 1;
  option->text = text_in(text.width() - 2 * margin, *option, index);
}

}  // namespace stashscope::ui
