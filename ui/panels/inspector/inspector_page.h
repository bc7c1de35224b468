#pragma once

#include <QString>

#include "core/study/step/study.h"
#include "ui/document/selection.h"

namespace stashscope::ui {

/// Details of the selection as a page of rich text. Links are `node:<id>`, or the URL of an
/// existing Python file.
QString inspector_page(const Study& study, const Selection& selection);

/// Whether the file exists and is Python source. Nothing else that a model names is opened.
bool is_python_file(const QString& file);

}  // namespace stashscope::ui
