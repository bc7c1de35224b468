#pragma once

#include <QFileDialog>

namespace stashscope::ui {

/// Makes a file dialog that deletes itself when it is closed. The caller opens the dialog.
QFileDialog* make_file_dialog(QWidget& parent, const QString& name, const QString& title);

/// Makes a file dialog that asks for an existing file.
/// @param kind the first name filter, such as `Models (*.onnx)`
QFileDialog* make_open_dialog(QWidget& parent, const QString& name, const QString& title,
                              const QString& kind);

/// Where a dialog starts that saves a file.
struct SaveProposal {
  QString model;  ///< path of the open model; may be empty
  QString file;   ///< name of the file
};

/// Asks where to save a file. The dialog starts in the folder of the model, or in the folder of the
/// last file that was saved for a model of that folder. A folder that is gone or cannot be written
/// is passed over: then the dialog starts in the folder of the last saved file, in the user's
/// documents, or in the home folder.
QFileDialog* make_save_dialog(QWidget& parent, const QString& name, const QString& title,
                              const SaveProposal& proposal);

}  // namespace stashscope::ui
