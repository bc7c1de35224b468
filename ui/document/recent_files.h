#pragma once

#include <QStringList>

namespace stashscope::ui {

/// The files opened last, newest first, kept across runs of the program.
QStringList recent_files();
void add_recent_file(const QString& path);

/// `folder/model.onnx`: many models have the same file name.
QString name_of_file(const QString& path);

}  // namespace stashscope::ui
