#pragma once

#include "ui/document/document.h"

namespace stashscope::ui {

/// The functions below work in the background and report success or failure in the notices.

/// Reads a measurement from a file and shows it. Fails if the measurement belongs to another step.
void import_measurement(Document& document, const QString& path);

/// Writes the measurement of the shown step. Does nothing without a measurement.
void export_measurement(Document& document, const QString& path);

}  // namespace stashscope::ui
