#pragma once

#include <optional>

#include "ui/document/document.h"

namespace stashscope::ui {

/// The failure of an export that would leave out all plans that are on.
/// @param left_out the reasons, as texts
Failure nothing_to_export(const std::vector<std::string>& left_out);

/// Why no environment variables can be exported for the study; nothing if they can be. Usual
/// reasons: no plan is on, or the variables can express none of the plans that are on.
std::optional<Failure> why_no_environment(const Study& study);

/// The functions below write in the background and report success or failure in the notices.
/// Without a study they do nothing.

/// Writes the model with the current plans applied to its graph.
void save_modified_model(Document& document, const QString& path);

/// Writes the HTML report of the study, with the measurement, if any.
void save_report(Document& document, const QString& path);

/// Writes the environment variables that make ONNX Runtime apply the current plans. The notice
/// names the plans that the variables cannot express. Where `why_no_environment` gives a reason,
/// reports it and writes nothing.
void export_environment(Document& document, const QString& path);

/// Writes the plans of a captured step for `stashscope.apply` in PyTorch. On success,
/// `DocumentFiles::plan_written` is emitted instead of a notice. For other models, reports why
/// there is no such plan.
void export_pytorch_plan(Document& document, const QString& path);

}  // namespace stashscope::ui
