#pragma once

#include <span>

class QApplication;

namespace stashscope::ui {

/// Text sizes to choose from, in per cent of the system's, ascending.
std::span<const int> text_sizes();

/// The next larger (direction 1) or smaller (-1) size; `percent` itself at the end of the list.
int next_text_size(int percent, int direction);

/// The size that the user chose in this or an earlier run of the program.
int remembered_text_size();
void remember_text_size(int percent);

void apply_text_size(QApplication& application, int percent);

/// The current size divided by the system's, for texts that are measured in pixels.
double text_scale();

}  // namespace stashscope::ui
