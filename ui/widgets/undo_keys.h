#pragma once

#include <QSpinBox>

namespace stashscope::ui {

/// Passes undo and redo keys to the window while a spin box has the focus. Otherwise its line edit
/// would take them, though it has only a half-typed number to undo.
void pass_undo_keys(QSpinBox& box);

}  // namespace stashscope::ui
