#pragma once

#include <QWidget>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Ask for a file, then import from it or export to it.
void ask_to_import_measurement(Document& document, QWidget& parent);
void ask_to_export_measurement(Document& document, QWidget& parent);

}  // namespace stashscope::ui
