#pragma once

namespace stashscope::ui {

/// Unit of the distances between widgets, in pixels.
constexpr int spacing_unit = 8;

}  // namespace stashscope::ui
