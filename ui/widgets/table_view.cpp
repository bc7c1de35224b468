#include "ui/widgets/table_view.h"

#include <QEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>
#include <algorithm>
#include <utility>

#include "ui/theme/text_size.h"
#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/column_widths.h"
#include "ui/widgets/copied_rows.h"
#include "ui/widgets/invitation.h"
#include "ui/widgets/row_gatherer.h"
#include "ui/widgets/sort_menu.h"
#include "ui/widgets/table_picture.h"

namespace stashscope::ui {

TableView::TableView(QWidget* parent) : QTableView(parent), cells_(new CellDelegate(this)) {
  setSelectionBehavior(SelectRows);
  setSelectionMode(SingleSelection);
  setAlternatingRowColors(true);
  setShowGrid(false);
  setWordWrap(false);
  setTextElideMode(Qt::ElideMiddle);
  setHorizontalScrollMode(ScrollPerPixel);
  setVerticalScrollMode(ScrollPerPixel);
  setTabKeyNavigation(false);
  setFrameShape(NoFrame);
  setMinimumHeight(least_table_height);
  setItemDelegate(cells_);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setStretchLastSection(true);
  fit_rows();
}

void TableView::fit_rows() {
  const int height = fontMetrics().height() + CellDelegate::room_in_row;
  verticalHeader()->setMinimumSectionSize(height);
  verticalHeader()->setDefaultSectionSize(height);
}

void TableView::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() != QEvent::FontChange) return;
  fit_rows();
  fit_columns();
}

void TableView::showEvent(QShowEvent* event) {
  fit_columns();
  QTableView::showEvent(event);
  fit_flexible_column();
}

void TableView::focusInEvent(QFocusEvent* event) {
  QTableView::focusInEvent(event);
  const bool is_by_key = event->reason() != Qt::MouseFocusReason;
  if (!is_by_key || selectionModel() == nullptr || selectionModel()->hasSelection()) return;
  selectionModel()->select(currentIndex(), QItemSelectionModel::Select | QItemSelectionModel::Rows);
}

/// On Space, Qt would only select the current cell, which changes nothing while its row is
/// selected.
void TableView::keyPressEvent(QKeyEvent* event) {
  const bool is_space = event->key() == Qt::Key_Space && event->modifiers() == Qt::NoModifier;
  if (!is_space || !currentIndex().isValid()) return QTableView::keyPressEvent(event);
  Q_EMIT activated(currentIndex());
}

/// On Home and End, Qt would go to the first and to the last column.
QModelIndex TableView::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) {
  const int rows = model() == nullptr ? 0 : model()->rowCount();
  if (rows == 0 || (action != MoveHome && action != MoveEnd)) {
    return QTableView::moveCursor(action, modifiers);
  }
  return model()->index(action == MoveHome ? 0 : rows - 1, std::max(0, currentIndex().column()));
}

void TableView::fit_columns() {
  const double growth = text_scale() / std::exchange(text_scale_, text_scale());
  const int columns = horizontalHeader()->count();
  if (growth == 1 || columns == 0) return;
  flexible_.least = qRound(flexible_.least * growth);
  flexible_.least_last = qRound(flexible_.least_last * growth);
  flexible_.widest = 0;
  grow_columns(*horizontalHeader(), growth);
  fit_flexible_column();
}

void TableView::set_flexible_column(int column, int least, int least_last) {
  flexible_.column = column;
  flexible_.least = least;
  flexible_.least_last = least_last;
  // `fit_flexible_column` sets the width of the last column; with stretching, Qt would set it too.
  horizontalHeader()->setStretchLastSection(false);
  fit_flexible_column();
}

void TableView::fit_to_content(int column, int most) {
  fitted_.push_back({column, most});
  fit_flexible_column();
}

void TableView::fit_other_columns() {
  for (const FittedColumn& each : fitted_) {
    const int title = horizontalHeader()->sectionSizeHint(each.column);
    const int wanted = std::max(title, content_width(each.column));
    setColumnWidth(each.column, std::min(wanted, qRound(each.most * text_scale_)));
  }
}

int TableView::whole_width() const {
  int width = verticalScrollBar()->sizeHint().width() + 2 * frameWidth();
  const int last = horizontalHeader()->count() - 1;
  for (int column = 0; column <= last; ++column) {
    const int content =
        column == flexible_.column || column == last ? content_width(column) : columnWidth(column);
    width += column == last ? std::max(content, flexible_.least_last) : content;
  }
  return width;
}

void TableView::keep_last_whole() {
  flexible_.last_is_whole = true;
  fit_flexible_column();
}

void TableView::keep_flexible_width() {
  flexible_.only_grows = true;
  fit_flexible_column();
}

void TableView::hide_last_if_narrow() {
  flexible_.last_can_hide = true;
  fit_flexible_column();
}

int TableView::content_width(int column) const {
  return sizeHintForColumn(column) + 2 * CellDelegate::padding;
}

void TableView::let_sort() {
  allow_no_order(*horizontalHeader());
  setSortingEnabled(true);
  connect(horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &QTableView::scrollToTop);
  addAction(make_sort_menu(*this, *horizontalHeader())->menuAction());
}

void TableView::setModel(QAbstractItemModel* model) {
  QTableView::setModel(model);
  connect(model, &QAbstractItemModel::modelReset, this, &TableView::fit_flexible_column);
}

void TableView::fit_flexible_column() {
  const int columns = horizontalHeader()->count();
  // Measuring texts takes long, so a hidden table waits until it is shown.
  if (!isVisible() || flexible_.column < 0 || columns == 0) return;
  fit_other_columns();
  int room = viewport()->width();
  for (int column = 0; column + 1 < columns; ++column) {
    if (column != flexible_.column) room -= columnWidth(column);
  }
  flexible_.widest =
      std::max(content_width(flexible_.column), flexible_.only_grows ? flexible_.widest : 0);
  const int content = flexible_.widest;
  const int least_last =
      std::max(flexible_.least_last, flexible_.last_is_whole ? content_width(columns - 1) : 0);
  const bool is_narrow = flexible_.last_can_hide && content > room - least_last;
  if (flexible_.last_can_hide) hide_for_room(*horizontalHeader(), columns - 1, is_narrow);
  const int most = std::max(flexible_.least, is_narrow ? room : room - least_last);
  const int width = is_narrow ? most : std::clamp(content, flexible_.least, most);
  setColumnWidth(flexible_.column, width);
  if (!is_narrow) setColumnWidth(columns - 1, std::max(least_last, room - width));
}

void TableView::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  fit_flexible_column();
}

void TableView::set_invitation(const QString& invitation) {
  invitation_ = invitation;
  viewport()->update();
}

Picture TableView::picture(const QString& title) {
  return table_picture(*this, title, shown_rows(*this), *horizontalHeader());
}

bool TableView::has_picture() { return !shown_rows(*this).isEmpty(); }

void TableView::gather_data(const DataTaker& take) {
  RowGatherer::start(
      *this, *horizontalHeader(), [this] { return shown_rows(*this); }, take);
}

void TableView::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  paint_invitation(*this, invitation_);
}

}  // namespace stashscope::ui
