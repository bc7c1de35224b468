#pragma once

#include <QHBoxLayout>
#include <QLabel>

namespace stashscope::ui {

/// Lays out `owner` without margins as a row of controls above a line of text. The returned row
/// holds only a label for `control`; the caller adds the controls.
/// @param title text of the label, with a mnemonic that focuses `control`
QHBoxLayout* make_row_above(QWidget& owner, QLabel& text, const QString& title, QWidget& control);

/// A label whose mnemonic focuses `control`.
QLabel* make_label_of(QWidget& control, const QString& title);

}  // namespace stashscope::ui
