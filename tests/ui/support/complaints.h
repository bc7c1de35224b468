#pragma once

#include <QStringList>

namespace stashscope::ui::test {

/// Warnings of Qt since they were last taken; safe from any thread.
void add_complaint(const QString& text);
QStringList take_complaints();

}  // namespace stashscope::ui::test
