#pragma once

#include <span>

class QApplication;
class QFont;

namespace stashscope::ui {

/// Text sizes to choose from, in per cent of the system's text size, ascending.
std::span<const int> text_sizes();

/// The next larger (direction 1) or smaller (direction -1) size in `text_sizes`. If there is none,
/// the last or first size.
int next_text_size(int percent, int direction);

/// The text size that the user chose in this or an earlier run of the program, in per cent.
int remembered_text_size();
void remember_text_size(int percent);

void apply_text_size(QApplication& application, int percent);

/// A font whose characters all have the same width. It has no size of its own: a widget with this
/// font has the size of its window's texts.
QFont fixed_font();

/// The current text size divided by the system's text size, for texts that are measured in pixels.
double text_scale();

}  // namespace stashscope::ui
