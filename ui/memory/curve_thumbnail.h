#pragma once

#include <QImage>

#include "core/study/step/study.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// The memory curve of a study's step without texts, drawn twice in one image: above in the colours
/// of the light theme, below in the colours of the dark theme. A null image for a step without
/// slots. Can be called on any thread.
QImage curve_thumbnail(const std::shared_ptr<const Study>& study);

/// The half of an image of `curve_thumbnail` that suits a theme. A null image if `thumbnail` has
/// another size.
QImage in_theme(const QImage& thumbnail, const Theme& theme);

}  // namespace stashscope::ui
