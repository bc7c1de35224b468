#pragma once

#include "ui/document/document.h"

namespace stashscope::ui {

/// The failure of an export that leaves out all plans that are on. @param left_out why
Failure nothing_to_export(const std::vector<std::string>& left_out);

/// Both functions write in the background and report success or failure in the notices. Without a
/// study they do nothing.

/// Writes the model with the current plans applied to its graph.
void save_modified_model(Document& document, const QString& path);

/// Writes the environment variables that make ONNX Runtime apply the current plans. The notice
/// names the plans that the variables cannot express. If that is all of them, nothing is written.
void export_environment(Document& document, const QString& path);

}  // namespace stashscope::ui
