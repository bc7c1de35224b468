#include "ui/widgets/column_widths.h"

namespace stashscope::ui {

void grow_columns(QHeaderView& header, double growth) {
  for (int column = 0; column + 1 < header.count(); ++column) {
    header.resizeSection(column, qRound(header.sectionSize(column) * growth));
  }
}

}  // namespace stashscope::ui
