#include "ui/panels/memory/map_page.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "ui/theme/spacing.h"

namespace stashscope::ui {

void lay_out_map_page(QWidget& page, QWidget* line, QWidget* map, QWidget* without_map) {
  auto* const layout = new QVBoxLayout(&page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(spacing_unit / 2);
  auto* const row = new QHBoxLayout;
  row->setContentsMargins(spacing_unit, 0, spacing_unit, 0);
  row->addWidget(line);
  layout->addLayout(row);
  layout->addWidget(map, 1);
  layout->addWidget(without_map, 1);
}

}  // namespace stashscope::ui
