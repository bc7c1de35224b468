#include "ui/panels/group_tree.h"

#include <QStyledItemDelegate>

#include "ui/panels/invitation.h"

namespace stashscope::ui {

namespace {

/// A header and a row: it gives way in small windows, as tables do.
constexpr int least_height = 44;

/// Rows as high as those of tables.
class RowDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    constexpr int room_in_row = 11;
    return {QStyledItemDelegate::sizeHint(option, index).width(),
            option.fontMetrics.height() + room_in_row};
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
  setMinimumHeight(least_height);
}

void GroupTree::set_invitation(const QString& invitation) {
  invitation_ = invitation;
  viewport()->update();
}

void GroupTree::paintEvent(QPaintEvent* event) {
  QTreeView::paintEvent(event);
  paint_invitation(*this, invitation_);
}

}  // namespace stashscope::ui
