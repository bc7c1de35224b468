#pragma once

#include <QWidget>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Opens a dialog for a file, whose measurement is then imported. Does nothing without a study.
void ask_to_import_measurement(Document& document, QWidget& parent);
/// Opens a dialog for a file, to which the document's measurement is then exported. Does nothing
/// without a measurement.
void ask_to_export_measurement(Document& document, QWidget& parent);

}  // namespace stashscope::ui
