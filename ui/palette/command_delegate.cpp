#include "ui/palette/command_delegate.h"

#include <QApplication>
#include <QPainter>
#include <QTextCharFormat>
#include <QTextLayout>

#include "ui/palette/command_model.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int side = 12;
constexpr int above = 5;
constexpr int least_gap = 16;

QTextLayout::FormatRange format(qsizetype start, qsizetype length, const QColor& colour,
                                bool bold) {
  QTextLayout::FormatRange range;
  range.start = static_cast<int>(start);
  range.length = static_cast<int>(length);
  range.format.setForeground(colour);
  if (bold) range.format.setFontWeight(QFont::Bold);
  return range;
}

QList<QTextLayout::FormatRange> formats_of(const QModelIndex& index, const QColor& text,
                                           const QColor& faded) {
  const qsizetype name = index.data(CommandModel::name_start).value<qsizetype>();
  const qsizetype end = index.data().toString().size();
  QList<QTextLayout::FormatRange> formats = {format(0, name, faded, false),
                                             format(name, end - name, text, false)};
  for (const qsizetype place : index.data(CommandModel::places).value<QList<qsizetype>>()) {
    formats << format(place, 1, text, true);
  }
  return formats;
}

QFont bold(QFont font) {
  font.setBold(true);
  return font;
}

/// The text at the right: the keys, or the reason why the command cannot be done. The reason gets
/// the width that the name leaves, but at least a third of the width.
QString right_text(const QModelIndex& index, const QFontMetrics& metrics, double width) {
  const QString why_not = index.data(CommandModel::why_not).toString();
  if (why_not.isEmpty()) return index.data(CommandModel::keys).toString();
  const double name = metrics.horizontalAdvance(index.data().toString()) + 2 * least_gap;
  const double room = std::max(width - name, width / 3);
  return metrics.elidedText(why_not.simplified(), Qt::ElideRight, static_cast<int>(room));
}

void paint_line(QPainter& painter, const QString& text, const QFont& font, const QRectF& rect,
                const QList<QTextLayout::FormatRange>& formats) {
  QTextLayout layout(text, font);
  layout.setFormats(formats);
  layout.beginLayout();
  QTextLine line = layout.createLine();
  line.setLineWidth(4 * rect.width());
  layout.endLayout();
  painter.save();
  painter.setClipRect(rect);
  layout.draw(&painter, QPointF(rect.x(), rect.center().y() - line.height() / 2));
  painter.restore();
}

}  // namespace

void CommandDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
  const Theme theme = theme_of(option.palette);
  const bool current = option.state.testFlag(QStyle::State_Selected);
  if (current) painter->fillRect(option.rect, option.palette.highlight());
  const QString why_not = index.data(CommandModel::why_not).toString();
  const QColor plain = why_not.isEmpty() ? theme.text : theme.muted;
  const QColor text = current ? option.palette.color(QPalette::HighlightedText) : plain;
  const QColor faded = current ? text : theme.muted;
  const QRectF inner = option.rect.adjusted(side, 0, -side, 0);
  const QString keys = right_text(index, option.fontMetrics, inner.width());
  painter->setFont(option.font);
  painter->setPen(faded);
  painter->drawText(inner, Qt::AlignRight | Qt::AlignVCenter, keys);
  const bool ticked = index.data(Qt::CheckStateRole).value<Qt::CheckState>() == Qt::Checked;
  const QString mark = ticked ? u"  ✓"_s : QString();
  const double taken = keys.isEmpty() ? 0 : option.fontMetrics.horizontalAdvance(keys) + least_gap;
  const QRectF left = inner.adjusted(0, 0, -taken, 0);
  const QString line =
      QFontMetricsF(bold(option.font))
          .elidedText(index.data().toString() + mark, Qt::ElideRight, left.width());
  paint_line(*painter, line, option.font, left, formats_of(index, text, faded));
}

QSize CommandDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
  return {0, option.fontMetrics.height() + 2 * above};
}

}  // namespace stashscope::ui
