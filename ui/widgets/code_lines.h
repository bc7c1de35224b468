#pragma once

#include <QLabel>
#include <QPushButton>

namespace stashscope::ui {

/// Lines of Python that can be selected.
QLabel* make_code_lines(const QString& name, const QString& lines);

/// A button that copies lines of Python to the clipboard and then says so.
/// @param text text of the button before the click
QPushButton* make_copy_button(const QString& name, const QString& text, const QString& lines);

}  // namespace stashscope::ui
