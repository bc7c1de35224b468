#include "ui/panels/table_view.h"

#include <QHeaderView>
#include <QPainter>

#include "ui/panels/cell_delegate.h"

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

int TableView::width_of_contents(int column) const {
  return sizeHintForColumn(column) + 2 * CellDelegate::padding;
}

void TableView::set_invitation(const QString& invitation) {
  invitation_ = invitation;
  viewport()->update();
}

void TableView::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  const bool is_empty = model() == nullptr || model()->rowCount() == 0;
  if (!is_empty || invitation_.isEmpty()) return;
  QPainter painter(viewport());
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(viewport()->rect().adjusted(16, 16, -16, -16),
                   Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, invitation_);
}

}  // namespace stashscope::ui
