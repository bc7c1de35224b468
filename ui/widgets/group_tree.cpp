#include "ui/widgets/group_tree.h"

#include <QHeaderView>
#include <QStyledItemDelegate>

#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/column_widths.h"
#include "ui/widgets/invitation.h"
#include "ui/widgets/row_gatherer.h"
#include "ui/widgets/table_picture.h"

namespace stashscope::ui {

namespace {

/// Only this many rows determine the width of a column, because measuring texts takes long.
constexpr int most_measured_rows = 200;

/// Makes rows as high as the rows of tables.
class RowDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return {QStyledItemDelegate::sizeHint(option, index).width(),
            option.fontMetrics.height() + CellDelegate::room_in_row};
  }
};

}  // namespace

GroupTree::GroupTree(QWidget* parent) : QTreeView(parent) {
  setItemDelegate(new RowDelegate(this));
  setSelectionMode(ExtendedSelection);
  setUniformRowHeights(true);
  setAlternatingRowColors(true);
  setTextElideMode(Qt::ElideLeft);
  setVerticalScrollMode(ScrollPerPixel);
  setFrameShape(NoFrame);
  setMinimumHeight(least_table_height);
}

void GroupTree::set_invitation(const QString& invitation) {
  invitation_ = invitation;
  viewport()->update();
}

void GroupTree::give_room_to(int column) {
  header()->setStretchLastSection(false);
  header()->setResizeContentsPrecision(most_measured_rows);
  header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  header()->setSectionResizeMode(column, QHeaderView::Stretch);
}

Picture GroupTree::picture(const QString& title) {
  return table_picture(*this, title, shown_rows(*this), *header());
}

bool GroupTree::has_picture() { return !shown_rows(*this).isEmpty(); }

void GroupTree::gather_data(const DataTaker& take) {
  RowGatherer::start(
      *this, *header(), [this] { return shown_rows(*this); }, take);
}

void GroupTree::paintEvent(QPaintEvent* event) {
  QTreeView::paintEvent(event);
  paint_invitation(*this, invitation_);
}

}  // namespace stashscope::ui
