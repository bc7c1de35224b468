#pragma once

#include <QDir>
#include <QStringList>

namespace stashscope::ui {

/// The sample models that come with the program.
QStringList sample_models();

/// One line that says what a sample shows; empty for an unknown one.
QString about_sample(const QString& path);

/// The page of the documentation about exports from PyTorch; empty if it is not installed.
QString export_page();

}  // namespace stashscope::ui
