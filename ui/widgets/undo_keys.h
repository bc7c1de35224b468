#pragma once

#include <QSpinBox>

namespace stashscope::ui {

/// Lets the window's undo and redo keys act while a spin box has the focus: its line edit would
/// take them for itself, though there is nothing to undo in it but a number that is half typed.
void pass_undo_keys(QSpinBox& box);

}  // namespace stashscope::ui
