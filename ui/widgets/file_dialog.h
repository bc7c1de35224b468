#pragma once

#include <QFileDialog>

namespace stashscope::ui {

/// A dialog that deletes itself once it is answered. The owner opens it.
QFileDialog* make_file_dialog(QWidget& parent, const QString& name, const QString& title);

/// The same for a file that is there.
/// @param kind what is offered first, such as `Models (*.onnx)`
QFileDialog* make_open_dialog(QWidget& parent, const QString& name, const QString& title,
                              const QString& kind);

}  // namespace stashscope::ui
