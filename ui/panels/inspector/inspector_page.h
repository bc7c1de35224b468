#pragma once

#include <QString>

#include "core/study/step/study.h"
#include "ui/document/selection.h"

namespace stashscope::ui {

/// Details of the selection as a page of rich text. Links are `node:<id>`, or the URL of a Python
/// file.
QString inspector_page(const Study& study, const Selection& selection);

/// Whether the text is the absolute path of Python source. The links of a page open no other
/// files.
bool names_python_file(const QString& file);

}  // namespace stashscope::ui
