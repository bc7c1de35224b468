#include "ui/panels/plans/plan_tree_view.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>
#include <algorithm>
#include <utility>

#include "ui/models/plan_filter.h"
#include "ui/models/plan_tree_model.h"
#include "ui/panels/plans/count_delegate.h"
#include "ui/panels/plans/plan_name_delegate.h"
#include "ui/theme/text_size.h"
#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/column_widths.h"
#include "ui/widgets/copied_rows.h"
#include "ui/widgets/invitation.h"
#include "ui/widgets/row_gatherer.h"
#include "ui/widgets/sort_menu.h"
#include "ui/widgets/table_picture.h"

namespace stashscope::ui {

namespace {

/// Widths of columns in pixels, at a text scale of 1.
constexpr int least_plan_width = 140;
constexpr int frequency_width = 60;
constexpr int count_width = 52;
constexpr int bytes_width = 90;
constexpr int change_width = 98;
constexpr int time_width = 84;
constexpr int per_time_width = 108;
constexpr std::pair<int, int> widths[] = {{PlanTreeModel::frequency, frequency_width},
                                          {PlanTreeModel::count, count_width},
                                          {PlanTreeModel::saving, bytes_width},
                                          {PlanTreeModel::peak_change, change_width},
                                          {PlanTreeModel::saved, bytes_width},
                                          {PlanTreeModel::at_peak, bytes_width},
                                          {PlanTreeModel::time, time_width},
                                          {PlanTreeModel::per_time, per_time_width},
                                          {PlanTreeModel::config, 240},
                                          {PlanTreeModel::why_not, 240},
                                          {PlanTreeModel::layer, 200},
                                          {PlanTreeModel::made, 60},
                                          {PlanTreeModel::last_read, 76},
                                          {PlanTreeModel::symbolic, 240}};
/// In a wide view, the plan column leaves room for this number of columns, the first ones of
/// `widths`.
constexpr int first_columns = 8;
/// Space beside the longest name of a plan, in pixels.
constexpr int name_margin = 2 * CellDelegate::padding;
/// The plan column leaves room for another column only if the plan column stays at least this wide,
/// in pixels.
constexpr int wanted_plan_width = 190;

const PlanFilter& filter_of(const QTreeView& view) {
  return *static_cast<const PlanFilter*>(view.model());
}

const PlanTreeModel& plans_of(const QTreeView& view) {
  return *static_cast<const PlanTreeModel*>(filter_of(view).sourceModel());
}

}  // namespace

PlanTreeView::PlanTreeView(QWidget* parent)
    : QTreeView(parent), names_(new PlanNameDelegate(this)) {
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setAlternatingRowColors(true);
  setUniformRowHeights(true);
  setAllColumnsShowFocus(true);
  setTextElideMode(Qt::ElideMiddle);
  setHorizontalScrollMode(ScrollPerPixel);
  setVerticalScrollMode(ScrollPerPixel);
  setFrameShape(NoFrame);
  setEditTriggers(EditKeyPressed);
  auto* const cells = new CellDelegate(this);
  cells->cut_at_end({PlanTreeModel::symbolic, PlanTreeModel::why_not});
  setItemDelegate(cells);
  setItemDelegateForColumn(PlanTreeModel::plan, names_);
  setItemDelegateForColumn(PlanTreeModel::count, new CountDelegate(this));
  header()->setHighlightSections(false);
  header()->setStretchLastSection(true);
  setMinimumHeight(least_table_height);
  connect(this, &QTreeView::clicked, this, [this](const QModelIndex& index) {
    if (index.column() == PlanTreeModel::count) edit_count(index);
  });
  connect(this, &QTreeView::expanded, this, [this](const QModelIndex& index) {
    if (opening_) return;
    opened_.insert(key(index));
    closed_.erase(key(index));
  });
  connect(this, &QTreeView::collapsed, this, [this](const QModelIndex& index) {
    if (opening_) return;
    opened_.erase(key(index));
    closed_.insert(key(index));
  });
}

void PlanTreeView::setModel(QAbstractItemModel* model) {
  QTreeView::setModel(model);
  for (const auto& [column, width] : widths) header()->resizeSection(column, width);
  header()->moveSection(PlanTreeModel::peak_change, header()->visualIndex(PlanTreeModel::saved));
  allow_no_order(*header());
  setSortingEnabled(true);
  const auto sort_as_at_first = [this](int column) {
    if (column < 0) sortByColumn(PlanTreeModel::saving, Qt::DescendingOrder);
    scrollToTop();
  };
  connect(header(), &QHeaderView::sortIndicatorChanged, this, sort_as_at_first);
  sort_as_at_first(-1);
  const auto forget_names = [this] { names_->forget_names(); };
  connect(model, &QAbstractItemModel::rowsInserted, this, forget_names);
  connect(model, &QAbstractItemModel::rowsRemoved, this, forget_names);
  connect(model, &QAbstractItemModel::layoutAboutToBeChanged, this, forget_names);
  connect(model, &QAbstractItemModel::modelReset, this, [=, this] {
    forget_names();
    open_again();
    fit_first_column();
  });
  open_again();
}

void PlanTreeView::set_invitation(const QString& invitation) {
  invitation_ = invitation;
  viewport()->update();
}

QString PlanTreeView::key(const QModelIndex& index) const {
  return plans_of(*this).key(filter_of(*this).mapToSource(index));
}

bool PlanTreeView::is_to_be_open(const QModelIndex& index) const {
  const auto kind = plans_of(*this).kind(filter_of(*this).mapToSource(index));
  if (!filter_of(*this).text().isEmpty() && !filter_of(*this).has_text(index)) return true;
  const QString name = key(index);
  const bool is_all =  // the tree has no other top-level row
      kind == PlanTreeModel::Kind::section && plans_of(*this).rowCount() == 1;
  const bool open_at_first = kind == PlanTreeModel::Kind::group || is_all;
  return open_at_first ? !closed_.contains(name) : opened_.contains(name);
}

void PlanTreeView::open_again() {
  opening_ = true;
  open_again({});
  opening_ = false;
}

void PlanTreeView::open_again(const QModelIndex& parent) {
  for (int row = 0; row < model()->rowCount(parent); ++row) {
    const QModelIndex index = model()->index(row, 0, parent);
    if (!model()->hasChildren(index)) continue;
    const bool is_open = is_to_be_open(index);
    setExpanded(index, is_open);
    if (is_open) open_again(index);
  }
}

QModelIndexList PlanTreeView::selected_rows() const {
  QModelIndexList rows = selectionModel()->selectedRows();
  std::ranges::sort(rows, {}, [this](const QModelIndex& row) { return visualRect(row).y(); });
  return rows;
}

void PlanTreeView::lead_to(const QModelIndex& row) {
  const QModelIndex cell = row.siblingAtColumn(std::max(0, currentIndex().column()));
  if (cell == currentIndex() && selected_rows() == QModelIndexList{row}) return;
  const int scrolled = horizontalScrollBar()->value();
  selectionModel()->setCurrentIndex(
      cell, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  scrollTo(cell);
  horizontalScrollBar()->setValue(scrolled);
}

void PlanTreeView::show_row(const QModelIndex& row) {
  setCurrentIndex(row);
  scrollTo(row, PositionAtCenter);
  setFocus(Qt::OtherFocusReason);
}

QModelIndexList PlanTreeView::rows_in_view() const {
  QModelIndexList rows;
  QModelIndex row = indexAt(QPoint(0, 0)).siblingAtColumn(0);
  for (; row.isValid() && visualRect(row).top() < viewport()->height(); row = indexBelow(row)) {
    rows << row;
  }
  return rows;
}

void PlanTreeView::edit_count(const QModelIndex& index) {
  if (index.flags().testFlag(Qt::ItemIsEditable)) edit(index);
}

void PlanTreeView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    Q_EMIT copy_wanted();
  } else if (event->key() == Qt::Key_Space && event->modifiers() == Qt::NoModifier) {
    Q_EMIT switch_wanted();
  } else if (event->key() == Qt::Key_F2) {
    edit_count(currentIndex().siblingAtColumn(PlanTreeModel::count));
  } else {
    return QTreeView::keyPressEvent(event);
  }
  event->accept();
}

void PlanTreeView::resizeEvent(QResizeEvent* event) {
  QTreeView::resizeEvent(event);
  fit_first_column();
}

void PlanTreeView::changeEvent(QEvent* event) {
  QTreeView::changeEvent(event);
  if (event->type() == QEvent::FontChange) fit_columns();
}

void PlanTreeView::showEvent(QShowEvent* event) {
  fit_columns();
  QTreeView::showEvent(event);
}

void PlanTreeView::fit_first_column() {
  int room = viewport()->width();
  int fitting = 0;
  for (; fitting < first_columns; ++fitting) {
    const int width = qRound(widths[fitting].second * text_scale_);
    if (room - width < qRound(wanted_plan_width * text_scale_)) break;
    room -= width;
  }
  // If all `first_columns` fit but names do not, the two columns that the user needs least are
  // hidden, one after the other: first the bytes saved per millisecond, which are the quotient of
  // two other columns, then the bytes at the peak, which tell less than the change of the peak. If
  // not all `first_columns` fit, only the first of the two is hidden.
  const int names = sizeHintForColumn(PlanTreeModel::plan) + name_margin;
  const auto gives_way = [&](int width, bool is_counted) {
    const bool has_room = is_counted && room >= names;
    if (is_counted && !has_room) room += qRound(width * text_scale_);
    return !has_room;
  };
  const bool all_fit = fitting == first_columns;
  hide_for_room(*header(), PlanTreeModel::per_time, gives_way(per_time_width, all_fit));
  hide_for_room(*header(), PlanTreeModel::at_peak, all_fit && gives_way(bytes_width, true));
  const int least = qRound(least_plan_width * text_scale_);
  header()->resizeSection(PlanTreeModel::plan, std::max(least, room));
}

void PlanTreeView::fit_columns() {
  const double growth = text_scale() / std::exchange(text_scale_, text_scale());
  if (growth == 1) return;
  grow_columns(*header(), growth);
  fit_first_column();
}

Picture PlanTreeView::picture(const QString& title) {
  return table_picture(*this, title, shown_rows(*this), *header());
}

bool PlanTreeView::has_picture() { return !shown_rows(*this).isEmpty(); }

void PlanTreeView::gather_data(const DataTaker& take) {
  RowGatherer::start(
      *this, *header(), [this] { return shown_rows(*this); }, take);
}

void PlanTreeView::paintEvent(QPaintEvent* event) {
  QTreeView::paintEvent(event);
  paint_invitation(*this, invitation_);
}

}  // namespace stashscope::ui
