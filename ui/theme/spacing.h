#pragma once

namespace stashscope::ui {

/// Distances between widgets are multiples of it, in pixels.
constexpr int spacing_unit = 8;

}  // namespace stashscope::ui
