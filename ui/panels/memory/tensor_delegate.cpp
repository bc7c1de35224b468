#include "ui/panels/memory/tensor_delegate.h"

#include <QApplication>

namespace stashscope::ui {

QString TensorDelegate::text_in(int width, const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
  if (!names_) names_.emplace(all_());
  // Adding up the characters is faster than measuring every form that is tried.
  if (widths_font_ != option.font) {
    widths_font_ = option.font;
    for (char16_t i = u' '; i < widths_.size(); ++i) {
      widths_[i] = option.fontMetrics.horizontalAdvance(QChar(i));
    }
  }
  return names_->shortened(index.data().toString(), [&](const QString& text) {
    int sum = 0;
    for (const QChar each : text) {
      const char16_t code = each.unicode();
      sum += code < widths_.size() ? widths_[code] : option.fontMetrics.horizontalAdvance(each);
    }
    return sum <= width;
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
