#pragma once

#include <QLineEdit>
#include <QSpinBox>

namespace stashscope::ui {

/// Passes undo and redo keys to the window while the spin box has the focus. The box's line edit
/// takes these keys only while a number is half typed.
void pass_undo_keys(QSpinBox& box);
/// The same for a field, which takes these keys only while a text is half typed.
void pass_undo_keys(QLineEdit& field);

}  // namespace stashscope::ui
