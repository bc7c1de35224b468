#pragma once

#include <QString>

#include "core/study/step/study.h"

namespace stashscope::ui {

/// The page of the inspector while nothing is selected, as rich text: the properties of the model,
/// its inputs and its outputs.
QString model_page(const Study& study);

}  // namespace stashscope::ui
