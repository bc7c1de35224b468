#include "ui/panels/table_view.h"

#include <QHeaderView>

#include "ui/panels/cell_delegate.h"
#include "ui/panels/invitation.h"

namespace stashscope::ui {

namespace {

constexpr int row_height = 26;

}  // namespace

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
  setItemDelegate(cells_);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setDefaultSectionSize(row_height);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setStretchLastSection(true);
}

void TableView::set_flexible_column(int column, int least, int least_last) {
  flexible_ = {column, least, least_last};
  // Qt would stretch the last column to its title at least.
  horizontalHeader()->setStretchLastSection(false);
  fit_flexible_column();
}

void TableView::setModel(QAbstractItemModel* model) {
  QTableView::setModel(model);
  connect(model, &QAbstractItemModel::modelReset, this, &TableView::fit_flexible_column);
}

void TableView::fit_flexible_column() {
  const int columns = horizontalHeader()->count();
  if (flexible_.column < 0 || columns == 0) return;
  int room = viewport()->width();
  for (int column = 0; column + 1 < columns; ++column) {
    if (column != flexible_.column) room -= columnWidth(column);
  }
  const int wanted = sizeHintForColumn(flexible_.column) + 2 * CellDelegate::padding;
  const int most = std::max(flexible_.least, room - flexible_.least_last);
  const int width = std::clamp(wanted, flexible_.least, most);
  setColumnWidth(flexible_.column, width);
  setColumnWidth(columns - 1, std::max(flexible_.least_last, room - width));
}

void TableView::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  fit_flexible_column();
}

void TableView::set_invitation(const QString& invitation) {
  invitation_ = invitation;
  viewport()->update();
}

void TableView::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  paint_invitation(*this, invitation_);
}

}  // namespace stashscope::ui
