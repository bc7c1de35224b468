#pragma once

#include <QString>

#include "core/study/step/study.h"
#include "ui/document/selection.h"

namespace stashscope::ui {

/// Details of the selection as a page of rich text. Links are `node:<id>`.
QString inspector_page(const Study& study, const Selection& selection);

}  // namespace stashscope::ui
