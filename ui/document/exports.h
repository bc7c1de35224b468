#pragma once

#include "ui/document/document.h"

namespace stashscope::ui {

/// Both write in the background, and end with a notice or a failure. They do nothing without a
/// study.

/// Writes the graph that the current plans lead to.
void save_modified_model(Document& document, const QString& path);

/// Writes the environment variables that make ONNX Runtime apply the current plans. The notice
/// names the plans that the variables cannot express.
void export_environment(Document& document, const QString& path);

}  // namespace stashscope::ui
