#pragma once

#include <QString>

#include "core/study/step/study.h"
#include "ui/document/selection.h"

namespace stashscope::ui {

/// The details of the selection as a page of rich text. The target of a link is `node:<id>` or the
/// URL of a Python file.
QString inspector_page(const Study& study, const Selection& selection);

/// Whether `file` is an absolute path that ends in `.py`. The links of a page open no other files.
bool names_python_file(const QString& file);

}  // namespace stashscope::ui
