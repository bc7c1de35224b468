#pragma once

#include <span>

class QApplication;

namespace stashscope::ui {

/// Sizes of text that can be chosen, in per cent of the system's, ascending.
std::span<const int> text_sizes();

/// The next larger (direction 1) or smaller (-1) one; the same at the end.
int next_text_size(int percent, int direction);

/// As the user chose it in this or an earlier run.
int remembered_text_size();
void remember_text_size(int percent);

/// Gives all widgets text of a size.
void apply_text_size(QApplication& application, int percent);

/// The size in force as a factor of the system's, for texts that are measured in pixels.
double text_scale();

}  // namespace stashscope::ui
