#pragma once

#include <QString>

#include "core/study/step/study.h"

namespace stashscope::ui {

/// What the inspector shows while nothing is selected: the properties of the model, its inputs and
/// its outputs, as rich text.
QString model_page(const Study& study);

}  // namespace stashscope::ui
