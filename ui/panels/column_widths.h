#pragma once

#include <QHeaderView>

namespace stashscope::ui {

/// Makes all columns but the last wider by a factor, as the text in them is.
void grow_columns(QHeaderView& header, double growth);

}  // namespace stashscope::ui
