#pragma once

#include <QLabel>

#include "ui/widgets/flow_layout.h"

namespace stashscope::ui {

/// Lays out `owner` without margins as controls above a line of text. The controls take as many
/// rows as they need. The returned layout holds only a label for `control`; the caller adds the
/// controls.
/// @param title text of the label, with a mnemonic that focuses `control`
FlowLayout* make_row_above(QWidget& owner, QLabel& text, const QString& title, QWidget& control);

/// A label whose mnemonic focuses `control`.
QLabel* make_label_of(QWidget& control, const QString& title);

}  // namespace stashscope::ui
