#pragma once

#include "ui/document/document.h"

namespace stashscope::ui {

/// Both work in the background and answer with `noticed` or `failed` of the document.

/// Shows what a file holds, when it was measured on the step that is shown now.
void import_measurement(Document& document, const QString& path);

/// Writes what was measured on the step that is shown now. Does nothing when that is nothing.
void export_measurement(Document& document, const QString& path);

}  // namespace stashscope::ui
