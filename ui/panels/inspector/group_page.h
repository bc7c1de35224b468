#pragma once

#include <QString>

#include "core/study/step/study.h"
#include "ui/document/selection.h"

namespace stashscope::ui {

/// The details of a selected group as rich text: its memory, its largest tensors, its operators.
QString group_page(const Study& study, const Selection& selection);

}  // namespace stashscope::ui
