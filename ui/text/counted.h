#pragma once

#include <QString>

namespace stashscope::ui {

/// `1 node` or `3 nodes`. @param many text with %1 or %L1 in place of the count
template <class Count>
QString counted(Count count, const QString& one, const QString& many) {
  return count == 1 ? one : many.arg(count);
}

}  // namespace stashscope::ui
