#pragma once

#include <QFileDialog>

namespace stashscope::ui {

/// Makes a file dialog that deletes itself when it is closed. The caller opens the dialog.
QFileDialog* make_file_dialog(QWidget& parent, const QString& name, const QString& title);

/// Makes a file dialog that asks for an existing file.
/// @param kind the first name filter, such as `Models (*.onnx)`
QFileDialog* make_open_dialog(QWidget& parent, const QString& name, const QString& title,
                              const QString& kind);

/// Asks where to save a file. The dialog starts in the folder of the last saved file; if that
/// folder is gone or cannot be written, in the user's documents, else in the home folder.
/// @param file proposed name of the file
QFileDialog* make_save_dialog(QWidget& parent, const QString& name, const QString& title,
                              const QString& file);

}  // namespace stashscope::ui
