#pragma once

#include <QWidget>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Opens a dialog that asks for a file, and imports the measurement in this file. Does nothing
/// without a study.
void ask_to_import_measurement(Document& document, QWidget& parent);
/// Opens a dialog that asks for a file, and exports the document's measurement to this file. Does
/// nothing without a measurement.
void ask_to_export_measurement(Document& document, QWidget& parent);

}  // namespace stashscope::ui
