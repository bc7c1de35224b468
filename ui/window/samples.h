#pragma once

#include <QDir>
#include <QStringList>

namespace stashscope::ui {

/// The paths of the sample models that come with the program.
QStringList sample_models();

/// One line that says what a sample shows; empty for an unknown sample.
QString about_sample(const QString& path);

/// The path of a page of the documentation, such as `passes.md`; empty if the page is missing.
QString documentation_page(const QString& name);

}  // namespace stashscope::ui
