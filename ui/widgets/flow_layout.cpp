#include "ui/widgets/flow_layout.h"

#include <QLabel>
#include <QStyle>
#include <algorithm>

#include "ui/theme/spacing.h"

namespace stashscope::ui {

namespace {

bool is_label(const QLayoutItem& item) {
  auto* const label = qobject_cast<QLabel*>(const_cast<QLayoutItem&>(item).widget());
  return label != nullptr;
}

bool can_grow(const QLayoutItem& item) {
  return (item.expandingDirections() & Qt::Horizontal) != 0;
}

}  // namespace

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent) {
  setContentsMargins(0, 0, 0, 0);
  setSpacing(spacing_unit);
}

FlowLayout::~FlowLayout() {
  for (QLayoutItem* const each : items_) delete each;
}

void FlowLayout::addItem(QLayoutItem* item) { items_.push_back(item); }

QLayoutItem* FlowLayout::itemAt(int index) const {
  return index >= 0 && index < count() ? items_[static_cast<std::size_t>(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
  QLayoutItem* const item = itemAt(index);
  if (item != nullptr) items_.erase(items_.begin() + index);
  return item;
}

std::vector<FlowLayout::Items> FlowLayout::units() const {
  std::vector<Items> units;
  bool after_label = false;
  for (QLayoutItem* const item : items_) {
    if (item->isEmpty()) continue;
    if (!after_label) units.emplace_back();
    units.back().push_back(item);
    after_label = is_label(*item);
  }
  return units;
}

int FlowLayout::width_of(const Items& items, bool least) const {
  int width = spacing() * (static_cast<int>(items.size()) - 1);
  for (const QLayoutItem* const each : items) {
    width += least ? each->minimumSize().width() : each->sizeHint().width();
  }
  return width;
}

int FlowLayout::arrange(const QRect& place, bool moves) const {
  std::vector<Items> rows;
  for (const Items& unit : units()) {
    const bool fits =
        !rows.empty() &&
        width_of(rows.back(), false) + spacing() + width_of(unit, false) <= place.width();
    if (!fits) rows.emplace_back();
    rows.back().insert(rows.back().end(), unit.begin(), unit.end());
  }
  int y = place.y();
  for (const Items& row : rows) {
    if (y > place.y()) y += spacing() / 2;
    y += place_row(row, {place.x(), y, place.width(), 0}, moves);
  }
  return y - place.y();
}

/// Places the widgets of a row, if `moves` is set. Returns the height of the row.
int FlowLayout::place_row(const Items& row, const QRect& place, bool moves) const {
  int height = 0;
  for (const QLayoutItem* const each : row) height = std::max(height, each->sizeHint().height());
  if (!moves) return height;
  const auto growing = std::ranges::count_if(row, [](auto* each) { return can_grow(*each); });
  // A row that is too wide consists of a single unit. In this unit, the widgets that can grow get
  // less than their size hint. If none can grow, the widget after the label gets less.
  const int left = place.width() - width_of(row, false);
  int x = place.x();
  for (QLayoutItem* const each : row) {
    const bool takes = growing > 0 ? can_grow(*each) : left < 0 && !is_label(*each);
    const int share = takes ? left / static_cast<int>(std::max<std::ptrdiff_t>(1, growing)) : 0;
    const QSize hint = each->sizeHint();
    const int width = std::max(hint.width() + share, each->minimumSize().width());
    const QRect own(x, place.y() + (height - hint.height()) / 2, width, hint.height());
    each->setGeometry(QStyle::visualRect(
        parentWidget() == nullptr ? Qt::LeftToRight : parentWidget()->layoutDirection(),
        {place.x(), own.y(), place.width(), own.height()}, own));
    x += width + spacing();
  }
  return height;
}

QSize FlowLayout::sizeHint() const {
  Items all;
  for (QLayoutItem* const each : items_) {
    if (!each->isEmpty()) all.push_back(each);
  }
  return {width_of(all, false), place_row(all, {}, false)};
}

QSize FlowLayout::minimumSize() const {
  QSize size;
  for (const Items& unit : units()) {
    size = size.expandedTo({width_of(unit, true), place_row(unit, {}, false)});
  }
  return size;
}

void FlowLayout::setGeometry(const QRect& place) {
  QLayout::setGeometry(place);
  arrange(place, true);
}

}  // namespace stashscope::ui
