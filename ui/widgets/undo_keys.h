#pragma once

#include <QSpinBox>

namespace stashscope::ui {

/// Passes undo and redo keys to the window while the spin box has the focus. The box's line edit
/// takes these keys only while a number is half typed.
void pass_undo_keys(QSpinBox& box);

}  // namespace stashscope::ui
