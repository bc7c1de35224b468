#pragma once

#include <QFileDialog>

namespace stashscope::ui {

/// Makes a file dialog that deletes itself when it is closed. The caller opens the dialog.
QFileDialog* make_file_dialog(QWidget& parent, const QString& name, const QString& title);

/// Asks for an existing file.
/// @param kind the first name filter, such as `Models (*.onnx)`
QFileDialog* make_open_dialog(QWidget& parent, const QString& name, const QString& title,
                              const QString& kind);

}  // namespace stashscope::ui
