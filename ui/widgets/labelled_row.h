#pragma once

#include <QHBoxLayout>
#include <QLabel>

namespace stashscope::ui {

/// Lays a widget out, without margins, as a row of controls above a line of text. Only the label
/// that the row begins with is there already.
/// @param title with the mark of a mnemonic, which leads to `control`
QHBoxLayout* make_row_above(QWidget& owner, QLabel& text, const QString& title, QWidget& control);

/// A label whose mnemonic leads to a control.
QLabel* make_label_of(QWidget& control, const QString& title);

}  // namespace stashscope::ui
