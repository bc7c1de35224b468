#pragma once

#include "ui/document/document.h"

namespace stashscope::ui {

/// Both work in the background, and end with a notice or a failure.

/// Shows the measurement of a file. Fails if the measurement belongs to another step.
void import_measurement(Document& document, const QString& path);

/// Writes the measurement of the shown step. Does nothing without a measurement.
void export_measurement(Document& document, const QString& path);

}  // namespace stashscope::ui
