#include "ui/widgets/name_delegate.h"

#include <QApplication>
#include <cmath>

namespace stashscope::ui {

QString NameDelegate::text_in(int width, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const {
  // Adding up the widths of characters is faster than measuring every shortened form that is tried.
  // Rounded widths would add up to several pixels too few.
  const QFontMetricsF metrics(option.font);
  if (widths_font_ != option.font) {
    widths_font_ = option.font;
    for (std::size_t i = u' '; i < widths_.size(); ++i) {
      widths_[i] = metrics.horizontalAdvance(QChar(static_cast<char16_t>(i)));
    }
  }
  return shortened(index, [&](const QString& text) {
    double sum = 0;
    for (const QChar each : text) {
      const char16_t code = each.unicode();
      sum += code < widths_.size() ? widths_[code] : metrics.horizontalAdvance(each);
    }
    return std::ceil(sum) <= width;
  });
}

void NameDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  CellDelegate::initStyleOption(option, index);
  // When Qt asks for the size hint, the rectangle is empty. The size hint is the width of the whole
  // name.
  if (option->rect.width() <= 0) return;
  const QStyle* const style = option->widget != nullptr ? option->widget->style() : qApp->style();
  const QRect text = style->subElementRect(QStyle::SE_ItemViewItemText, option, option->widget);
  const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, option, option->widget) + 1;
  option->text = text_in(text.width() - 2 * margin, *option, index);
}

}  // namespace stashscope::ui
