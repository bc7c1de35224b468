#pragma once

#include <QStringList>

namespace stashscope::ui::test {

/// Warnings of Qt since the last call of `take_complaints`; safe on any thread.
void add_complaint(const QString& text);
QStringList take_complaints();

}  // namespace stashscope::ui::test
