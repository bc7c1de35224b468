#pragma once

#include <QFileDialog>

namespace stashscope::ui {

/// Makes a file dialog that deletes itself when it is closed. The caller opens the dialog.
QFileDialog* make_file_dialog(QWidget& parent, const QString& name, const QString& title);

/// Makes a file dialog that asks for an existing file.
/// @param kind the first name filter, such as `Models (*.onnx)`
QFileDialog* make_open_dialog(QWidget& parent, const QString& name, const QString& title,
                              const QString& kind);

/// What `make_save_dialog` needs in order to propose a folder and a file name.
struct SaveProposal {
  QString model;  ///< path of the open model; may be empty
  QString file;   ///< name of the file
};

/// Asks where to save a file. The dialog starts in the first of these folders that exists and can
/// be written: the folder of the last saved file, if it was saved for a model of the same folder;
/// the folder of the model; the folder of the last saved file; the user's documents; the home
/// folder.
QFileDialog* make_save_dialog(QWidget& parent, const QString& name, const QString& title,
                              const SaveProposal& proposal);

}  // namespace stashscope::ui
