#pragma once

#include <QImage>

#include "core/study/step/study.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// The memory curve of a study's step without texts: the upper half of the image in light colours,
/// the lower half in dark ones. Null for a step without slots. Can be called on any thread.
QImage curve_thumbnail(const std::shared_ptr<const Study>& study);

/// The half of such an image that suits a theme. Null if the image has another size.
QImage in_theme(const QImage& thumbnail, const Theme& theme);

}  // namespace stashscope::ui
