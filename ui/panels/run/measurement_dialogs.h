#pragma once

#include <QWidget>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Ask for a file, and import or export it once it is named.
void ask_to_import_measurement(Document& document, QWidget& parent);
void ask_to_export_measurement(Document& document, QWidget& parent);

}  // namespace stashscope::ui
