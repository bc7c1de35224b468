#include "ui/widgets/table_picture.h"

#include <QAbstractItemDelegate>
#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "ui/theme/theme.h"
#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/copied_rows.h"

namespace stashscope::ui {

namespace {

/// Maximum number of rows in a picture. The data of the picture has all rows.
constexpr qsizetype most_rows = 100;
/// Content wider than this many pixels is elided.
constexpr int widest_column = 640;
constexpr int table_margin = 8;

struct TablePictureTexts {
  Q_DECLARE_TR_FUNCTIONS(TablePicture)
};

/// Paints the rows of a view on a device other than the view.
class TablePainter {
 public:
  TablePainter(QAbstractItemView& view, const QModelIndexList& rows, const QHeaderView& header)
      : view_(view),
        rows_(rows.mid(0, most_rows)),
        left_out_(rows.size() - rows_.size()),
        header_(header),
        columns_(written_columns(header)),
        row_height_(view.fontMetrics().height() + CellDelegate::room_in_row) {
    for (const int column : columns_) widths_.push_back(width_of(column));
  }

  QSizeF size() const {
    int width = 2 * table_margin;
    for (const int each : widths_) width += each;
    const qsizetype lines = rows_.size() + (left_out_ > 0 ? 2 : 1);
    return QSizeF(width, static_cast<double>(lines * row_height_ + 2 * table_margin));
  }

  void paint(QPainter& painter) const {
    const Theme theme = theme_of(view_.palette());
    painter.fillRect(QRectF(QPointF(), size()), theme.surface);
    int y = table_margin;
    paint_titles(painter, theme, y);
    for (qsizetype i = 0; i < rows_.size(); ++i) {
      y += row_height_;
      if (i % 2 == 1) painter.fillRect(line_at(y), theme.canvas);
      paint_row(painter, rows_[i], y);
    }
    if (left_out_ == 0) return;
    painter.setPen(theme.muted);
    painter.drawText(line_at(y + row_height_).adjusted(CellDelegate::padding, 0, 0, 0),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     left_out_ == 1 ? TablePictureTexts::tr("and 1 more row")
                                    : TablePictureTexts::tr("and %1 more rows").arg(left_out_));
  }

 private:
  QRect line_at(int y) const {
    return {table_margin, y, static_cast<int>(size().width()) - 2 * table_margin, row_height_};
  }

  QVariant title(int column, int role) const {
    return header_.model()->headerData(column, Qt::Horizontal, role);
  }

  int indent(const QModelIndex& row, int column) const {
    const auto* const tree = qobject_cast<const QTreeView*>(&view_);
    if (tree == nullptr || column != 0) return 0;
    int levels = tree->rootIsDecorated() ? 1 : 0;
    for (QModelIndex each = row.parent(); each.isValid(); each = each.parent()) ++levels;
    return levels * tree->indentation();
  }

  QStyleOptionViewItem option_at(const QRect& cell) const {
    QStyleOptionViewItem option;
    option.initFrom(&view_);
    option.state = QStyle::State_Enabled | QStyle::State_Active;
    option.font = view_.font();
    option.rect = cell;
    option.widget = &view_;
    option.displayAlignment = Qt::AlignLeft | Qt::AlignVCenter;
    option.decorationPosition = QStyleOptionViewItem::Left;
    option.decorationAlignment = Qt::AlignCenter;
    const int icon = view_.style()->pixelMetric(QStyle::PM_SmallIconSize, nullptr, &view_);
    option.decorationSize = QSize(icon, icon);
    option.textElideMode = view_.textElideMode();
    option.locale = view_.locale();
    return option;
  }

  int width_of(int column) const {
    int width = view_.fontMetrics().horizontalAdvance(title(column, Qt::DisplayRole).toString());
    for (const QModelIndex& row : rows_) {
      const QModelIndex cell = row.siblingAtColumn(column);
      const int content = view_.itemDelegateForIndex(cell)->sizeHint(option_at({}), cell).width();
      width = std::max(width, content + indent(row, column));
    }
    return std::min(width, widest_column) + 4 * CellDelegate::padding;
  }

  void paint_titles(QPainter& painter, const Theme& theme, int y) const {
    int x = table_margin;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const QVariant side = title(columns_[i], Qt::TextAlignmentRole);
      const Qt::Alignment alignment =
          side.isValid() ? side.value<Qt::Alignment>() : Qt::AlignLeft | Qt::AlignVCenter;
      const QRect cell(x, y, widths_[i], row_height_);
      painter.setPen(theme.muted);
      painter.drawText(cell.adjusted(CellDelegate::padding, 0, -CellDelegate::padding, 0),
                       static_cast<int>(alignment), title(columns_[i], Qt::DisplayRole).toString());
      x += widths_[i];
    }
    painter.setPen(theme.line);
    painter.drawLine(table_margin, y + row_height_ - 1, x, y + row_height_ - 1);
  }

  void paint_row(QPainter& painter, const QModelIndex& row, int y) const {
    int x = table_margin;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const QModelIndex cell = row.siblingAtColumn(columns_[i]);
      const int from = indent(row, columns_[i]);
      const QRect place(x + from, y, widths_[i] - from, row_height_);
      view_.itemDelegateForIndex(cell)->paint(&painter, option_at(place), cell);
      x += widths_[i];
    }
  }

  QAbstractItemView& view_;
  QModelIndexList rows_;
  qsizetype left_out_;
  const QHeaderView& header_;
  std::vector<int> columns_;
  std::vector<int> widths_;
  int row_height_;
};

}  // namespace

QModelIndexList shown_rows(const QTableView& table) {
  QModelIndexList rows;
  if (table.model() == nullptr) return rows;
  for (int row = 0; row < table.model()->rowCount(); ++row) {
    if (!table.isRowHidden(row)) rows << table.model()->index(row, 0);
  }
  return rows;
}

QModelIndexList shown_rows(const QTreeView& tree) {
  QModelIndexList rows;
  if (tree.model() == nullptr) return rows;
  for (QModelIndex row = tree.model()->index(0, 0); row.isValid(); row = tree.indexBelow(row)) {
    rows << row;
  }
  return rows;
}

Picture table_picture(QAbstractItemView& view, const QString& title, const QModelIndexList& rows,
                      const QHeaderView& header) {
  if (rows.isEmpty()) return {};
  const TablePainter table(view, rows, header);
  return recorded(view, title, table.size(), [&table](QPainter& painter) { table.paint(painter); });
}

}  // namespace stashscope::ui
