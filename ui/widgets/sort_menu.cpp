#include "ui/widgets/sort_menu.h"

#include <QCoreApplication>

#include "ui/widgets/drop_menu.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int no_column = -1;

struct SortMenu {
  Q_DECLARE_TR_FUNCTIONS(SortMenu)
};

/// The order that a click on the column's title gives: at the first click, the usual order of the
/// column; at the second click, the opposite order.
Qt::SortOrder next_order(const QHeaderView& header, int column) {
  const QVariant usual =
      header.model()->headerData(column, Qt::Horizontal, Qt::InitialSortOrderRole);
  const auto first =
      usual.isValid() ? static_cast<Qt::SortOrder>(usual.toInt()) : Qt::AscendingOrder;
  if (header.sortIndicatorSection() != column || header.sortIndicatorOrder() != first) return first;
  return first == Qt::AscendingOrder ? Qt::DescendingOrder : Qt::AscendingOrder;
}

void add_column(QMenu& menu, QHeaderView& header, int column, const QString& title) {
  QAction* const entry = menu.addAction(menu_text(title), &header, [&header, column] {
    header.setSortIndicator(column, next_order(header, column));
  });
  entry->setCheckable(true);
  entry->setChecked(header.sortIndicatorSection() == column);
}

void fill(QMenu& menu, QHeaderView& header) {
  menu.clear();
  // Lists hidden columns too, because they are hidden only for want of room.
  for (int place = 0; place < header.count(); ++place) {
    const int column = header.logicalIndex(place);
    add_column(menu, header, column, header.model()->headerData(column, Qt::Horizontal).toString());
  }
  menu.addSeparator();
  menu.addAction(SortMenu::tr("First order"), &header,
                 [&header] { header.setSortIndicator(no_column, Qt::AscendingOrder); })
      ->setObjectName(u"sort_first"_s);
}

}  // namespace

void allow_no_order(QHeaderView& header) {
  header.setSortIndicatorClearable(true);
  header.setSortIndicator(no_column, Qt::AscendingOrder);
}

QMenu* make_sort_menu(QWidget& parent, QHeaderView& header) {
  auto* const menu = new QMenu(SortMenu::tr("Sort by"), &parent);
  menu->setObjectName(u"sort_menu"_s);
  QObject::connect(menu, &QMenu::aboutToShow, &header, [menu, &header] { fill(*menu, header); });
  return menu;
}

}  // namespace stashscope::ui
